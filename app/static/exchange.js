// Traces in and out: a JSON file, or one HTML page that plays by itself.

import { download } from "./dom.js";

/** @import { Host } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Packet } from "./types.js" */

const MAX_TRACE_MB = 16;

/**
 * @param {Host} host
 * @param {HTMLInputElement} input
 */
export async function openTrace(host, input) {
  const file = input.files?.[0];
  input.value = "";
  if (!file) return;
  // the server says how much it takes
  if (file.size > MAX_TRACE_MB * 2 ** 20) host.trigger("open", { size: file.size });
  else host.trigger("open", { text: await file.text(), name: file.name });
}

/** @param {Store} store */
export function saveTrace(store) {
  if (store.run) download(`respec-${store.run.run_id}.json`, JSON.stringify(store.trace()), "application/json");
}

/**
 * @param {Host} host
 * @param {Store} store
 */
export async function savePage(host, store) {
  const { run, setup, steps, tokens, views, figures, metrics, outcome, panels } = store;
  if (!run || !setup || !figures || !outcome || !host.server) return;
  const place = { round: null, token: null };
  /** @type {Packet} */
  const packet = {
    stream: "saved",
    seq: 0,
    messages: [
      {
        ...{ kind: "trace", run, setup, steps, tokens, views, figures, metrics, outcome, panels },
        ...{ final: true, title: "saved run", autoplay: false, showcase: "", place },
      },
    ],
  };
  await savePacket(host, packet, `respec-${run.run_id}.html`);
}

/**
 * A page that shows one packet, anywhere.
 *
 * @param {Host} host
 * @param {object} packet
 * @param {string} name of the file
 */
export async function savePacket(host, packet, name) {
  if (!host.server) return;
  const text = JSON.stringify(packet).replaceAll("<", "\\u003c");
  const shell = await host.server.empty();
  const page = shell.replace('id="packet">null<', () => `id="packet">${text}<`);
  download(name, page, "text/html");
}

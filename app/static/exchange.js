// Traces in and out: a JSON file, or one HTML page that plays by itself.

import { download } from "./dom.js";

const MAX_TRACE_MB = 16;

export async function openTrace(host, input) {
  const file = input.files[0];
  input.value = "";
  if (!file) return;
  if (file.size > MAX_TRACE_MB * 2 ** 20)
    host.trigger("open", { size: file.size }); // the server says how much it takes
  else host.trigger("open", { text: await file.text(), name: file.name });
}

export function saveTrace(store) {
  if (store.run) download(`respec-${store.run.run_id}.json`, JSON.stringify(store.trace()), "application/json");
}

export async function savePage(host, store) {
  if (!store.run || !host.server?.empty) return;
  const { run, steps, tokens, views, figures, metrics, panels } = store;
  const message = {
    kind: "trace",
    run,
    steps,
    tokens,
    views,
    figures,
    metrics,
    panels,
    title: "saved run",
    autoplay: false,
  };
  const packet = JSON.stringify({ stream: "saved", seq: 0, messages: [message] }).replaceAll("<", "\\u003c");
  const shell = await host.server.empty();
  download(
    `respec-${run.run_id}.html`,
    shell.replace('id="packet">null<', () => `id="packet">${packet}<`),
    "text/html",
  );
}

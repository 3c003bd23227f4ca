// What Live shows has an address and a place on the shelf: a reload, Back and another day find it as it was left.

import { bus } from "./bus.js";
import { asks, keep, kept, LOOKS } from "./keeping.js";
import { chosenToken } from "./picks.js";
import { shelf } from "./shelf_database.js";
import { madeNow, PROMPT_BEGINS, rowOf } from "./shelf_store.js";
import { traceText } from "./trace_text.js";

/** @import { Host } from "./page.js" */
/** @import { Scrubber } from "./scrubber.js" */
/** @import { Row } from "./shelf_store.js" */
/** @import { Store } from "./store.js" */
/** @import { GalleryLine, Packet, RunHead } from "./types.js" */

const OPENING = "opening"; // the stream of what the page opens with
const SETTLED_MS = 500; // without a change
const MOST_READ = 6000; // characters
const GONE = "That run is not on this browser's shelf.";

export class Visits {
  /**
   * @param {Host} host
   * @param {Store} store
   * @param {Scrubber} scrubber
   */
  constructor(host, store, scrubber) {
    this.host = host;
    this.store = store;
    this.scrubber = scrubber;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.due = undefined;
    this.prompt = ""; // of the run under way
    /** @type {GalleryLine[]} */
    this.showcases = JSON.parse(host.props.showcases || "[]");
  }

  start() {
    addEventListener("popstate", () => location.reload());
    bus.on("shown", () => this.settle());
    bus.on("run", () => (this.prompt = kept("form")?.prompt ?? ""));
    bus.on("reopen", ({ id }) => void this.reopen(id));
  }

  /**
   * A run of the shelf, in the place of what the page opens with: the one that the address names, else the last.
   *
   * @param {Packet} packet
   * @returns {boolean} whether it may come; if it does not, the packet is received
   */
  precedes(packet) {
    const id = new URLSearchParams(location.search).get("run");
    if (packet.stream !== OPENING || (!id && asks(location.search))) return false;
    void this.openFirst(id, packet);
    return true;
  }

  /**
   * @param {string | null} id
   * @param {Packet} packet
   */
  async openFirst(id, packet) {
    try {
      const found = id ?? (await shelf.rows()).find(({ kind }) => kind !== "recorded")?.id;
      if (found && (await this.reopen(found, placeOf(location.search)))) return;
    } catch {
      // nothing is kept here
    }
    this.store.receive(packet);
    if (id) this.tell(GONE);
  }

  /**
   * @param {string} id
   * @param {Row["place"] | null} place none for where it was left
   * @returns {Promise<boolean>} whether it is there
   */
  async reopen(id, place = null) {
    const [row, text] = await Promise.all([shelf.find(id), shelf.trace(id)]);
    if (!row || text === null) return false;
    const at = place ?? row.place;
    if (row.showcase) this.host.trigger("showcase", { name: row.showcase, place: at });
    else this.host.trigger("open", { text, name: row.name, place: at });
    return true;
  }

  /** @param {boolean} ours whether it has run here just now */
  async keep(ours) {
    const { run, setup, outcome, title, showcase, tokens, round, lost } = this.store;
    if (!run || !outcome) return;
    this.settle();
    const recorded = this.showcases.find((known) => known.name === showcase);
    const row = rowOf(run, {
      kind: ours ? "run" : showcase ? "recorded" : "opened",
      name: ours ? [lost && title, madeNow()].filter(Boolean).join(", ") : (recorded?.title ?? title),
      showcase,
      setup,
      prompt: ours ? this.prompt.slice(0, PROMPT_BEGINS) : "",
      asked: ours ? this.prompt : "",
      tokens: tokens.length,
      outcome,
      place: { round, token: null },
    });
    if (row.kind !== "recorded") keep("last", firstSightOf(run, row.name));
    try {
      await shelf.put(row, await traceText(this.store.trace()));
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error));
    }
  }

  /** @param {string} text shown where nothing more urgent is said */
  tell(text) {
    this.store.hint = text;
    this.store.changed("state");
  }

  settle() {
    clearTimeout(this.due);
    this.due = setTimeout(() => void this.write(), SETTLED_MS);
  }

  async write() {
    const { run, state, showcase, round } = this.store;
    if (!run || state !== "idle" || this.scrubber.playing.on) return;
    const token = chosenToken(this.store);
    const search = addressed(location.search, { run: run.run_id, showcase, round, token });
    if (search !== location.search) {
      const same = named(search) === named(location.search) || !asks(location.search);
      // a new entry has no form of its own yet
      history[same ? "replaceState" : "pushState"](same ? history.state : null, "", `${location.pathname}${search}`);
    }
    await shelf.leave(run.run_id, { round, token }).catch(() => {});
  }
}

/**
 * What there is to read of a run when the page is opened again, before its scripts have run (`served_page.py`).
 *
 * @param {RunHead} run
 * @param {string} about
 */
const firstSightOf = ({ run_id: id, title, prompt_text, output_text }, about) => ({
  ...{ id, about: `${title} · ${about}` },
  ...{ prompt: prompt_text.slice(0, MOST_READ), text: output_text.slice(0, MOST_READ) },
});

/**
 * @param {string} search
 * @param {{ run: string, showcase: string, round: number, token: number | null }} shown
 */
export function addressed(search, { run, showcase, round, token }) {
  const [name, value] = showcase ? ["trace", showcase] : ["run", run];
  const before = new URLSearchParams(search);
  const same = before.get(name) === value;
  const query = new URLSearchParams([...before].filter(([key]) => same || LOOKS.has(key)));
  query.set(name, value);
  query.set("round", String(round + 1));
  if (token === null) query.delete("token");
  else query.set("token", String(token + 1));
  return `?${query}`;
}

/** @param {string} search */
function named(search) {
  const query = new URLSearchParams(search);
  return `${query.get("trace")} ${query.get("run")}`;
}

/** @param {string} search */
export function placeOf(search) {
  const query = new URLSearchParams(search);
  const [round, token] = ["round", "token"].map((name) => Number.parseInt(query.get(name) ?? "", 10) - 1);
  if (!(round >= 0)) return null;
  return { round, token: token >= 0 ? token : null };
}

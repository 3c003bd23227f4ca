// Runs that are there already, to be picked for a comparison: recorded ones, those of the shelf, opened traces.

import { fill, h } from "./dom.js";
import { shelf } from "./shelf_database.js";

/** @import { Row } from "./shelf_store.js" */

/** @typedef {{ name: string, title: string, example: string }} Showcase */
/** @typedef {{ label: string, showcase?: string, kept?: string, text?: string }} Picked one of the three */

const LETTERS = "ABCD";
const FEWEST = 2;

export class RunsThere {
  /** @type {Picked[]} */
  picked = []; // in the order in which they were ticked, which is that of the letters
  /** @type {Row[]} */
  rows = [];
  busy = false;

  /**
   * @param {Showcase[]} showcases
   * @param {() => void} compare
   */
  constructor(showcases, compare) {
    this.showcases = showcases;
    this.list = h("ul", { class: "rs-picks" });
    this.file = h("input", { type: "file", accept: ".json,application/json", hidden: true, multiple: true });
    this.pick = h("button", { type: "button", class: "rs-button is-primary", id: "rs-compare-pick" });
    this.pick.textContent = "Compare these";
    this.pick.addEventListener("click", compare);
    this.file.addEventListener("change", () => void this.open());
    const open = h("button", { type: "button", class: "rs-quiet", text: "Open traces …" });
    open.addEventListener("click", () => this.file.click());
    this.element = h(
      "details",
      { class: "rs-settings rs-there" },
      h("summary", { text: "Or compare runs that are there" }),
      h("p", {
        class: "rs-idea",
        text: "Two to four of one prompt: recorded runs, your runs, or traces that you saved.",
      }),
      this.list,
      h("div", { class: "rs-runrow" }, this.pick, open, this.file),
    );
    shelf.subscribe(() => void this.refresh());
    this.draw();
    void this.refresh();
  }

  async refresh() {
    this.rows = await shelf.rows().catch(() => []);
    this.draw();
  }

  draw() {
    const { picked } = this;
    const recorded = this.showcases.map(({ name, title }) => ({ label: title, showcase: name }));
    const kept = this.rows
      .filter(({ id, kind }) => kind !== "recorded" || picked.some((run) => run.kept === id))
      .map((row) => keptRun(row));
    const opened = picked.filter(({ text }) => text !== undefined);
    fill(
      this.list,
      [...kept, ...recorded, ...opened].map((run) => this.item(run)),
    );
    this.pick.disabled = this.busy || picked.length < FEWEST || picked.length > LETTERS.length;
  }

  /** @param {Picked} run */
  item(run) {
    const at = this.picked.findIndex((known) => same(known, run));
    const box = h("input", { type: "checkbox", checked: at >= 0, on: { change: () => this.tick(run, at) } });
    const letter = at >= 0 && h("span", { class: `rs-letter rs-lane-${LETTERS[at] ?? "D"}`, text: LETTERS[at] ?? "+" });
    return h("li", {}, h("label", { class: "rs-check" }, box, letter, h("span", { text: run.label })));
  }

  /**
   * @param {Picked} run
   * @param {number} at among the picked, -1 for none
   */
  tick(run, at) {
    this.picked = at >= 0 ? this.picked.filter((_, i) => i !== at) : [...this.picked, run];
    this.draw();
  }

  /** @param {string[]} names */
  pickShowcases(names) {
    const titles = new Map(this.showcases.map(({ name, title }) => [name, title]));
    this.picked = names.map((name) => ({ label: titles.get(name) ?? name, showcase: name }));
    this.draw();
  }

  /**
   * @param {string[]} ids those that are on the shelf are picked
   * @returns {Promise<Row[]>} their rows
   */
  async pickKept(ids) {
    await this.refresh();
    const rows = ids.flatMap((id) => this.rows.filter((row) => row.id === id));
    this.picked = rows.map((row) => keptRun(row));
    this.draw();
    return rows;
  }

  async open() {
    const files = [...(this.file.files ?? [])];
    this.file.value = "";
    const texts = await Promise.all(files.map((file) => file.text()));
    this.picked = [...this.picked, ...files.map(({ name }, i) => ({ label: name, text: texts[i] }))];
    this.draw();
  }

  /** @param {boolean} busy */
  setBusy(busy) {
    this.busy = busy;
    this.draw();
  }

  /** The picked runs as an address, if they all have a name there. */
  query() {
    const named = (/** @type {Array<string | undefined>} */ names) => names.length > 0 && names.every(Boolean);
    const traces = this.picked.map(({ showcase }) => showcase);
    const runs = this.picked.map(({ kept }) => kept);
    if (named(traces)) return new URLSearchParams({ traces: traces.join() });
    return named(runs) ? new URLSearchParams({ runs: runs.join() }) : null;
  }

  /** The picked runs as the server takes them. */
  runs() {
    return Promise.all(
      this.picked.map(async ({ showcase, kept, text }) =>
        showcase ? { showcase } : { text: kept ? await shelf.trace(kept) : text },
      ),
    );
  }
}

/**
 * @param {Row} row
 * @returns {Picked}
 */
const keptRun = ({ id, title, name, showcase }) => ({ label: showcase ? name : `${title}, ${name}`, kept: id });

/**
 * @param {Picked} one
 * @param {Picked} other
 */
const same = (one, other) =>
  one === other ||
  Boolean(one.showcase && one.showcase === other.showcase) ||
  Boolean(one.kept && one.kept === other.kept);

// The run shelf: a drawer with the runs that this browser keeps, to be opened again, compared and deleted.

import { bus } from "./bus.js";
import { fill, h } from "./dom.js";
import { setupText } from "./setup_text.js";
import { shelf } from "./shelf_database.js";
import { MOST, NO_SHELF } from "./shelf_store.js";

/** @import { Row } from "./shelf_store.js" */
/** @import { Outcome } from "./types.js" */

const LETTERS = "ABCD"; // of a comparison
const FEWEST = 2;
const KINDS = { run: "", recorded: "recorded", opened: "opened" };

export class ShelfDrawer {
  /** @type {Row[]} */
  rows = [];
  busy = false; // whether a run is under way, which nothing takes the place of
  /** @type {string[]} */
  ticked = []; // in their order, which is that of the letters

  /** @param {string} root the app's own address */
  constructor(root) {
    this.root = root;
    this.button = h("button", { type: "button", class: "rs-quiet", id: "rs-shelf-open", "aria-haspopup": "dialog" });
    this.note = h("p", { class: "rs-shelf-note", role: "status", "aria-live": "polite" });
    this.list = h("ul", { class: "rs-shelf-rows" });
    this.compare = h("button", { type: "button", class: "rs-button is-primary", id: "rs-shelf-compare" });
    this.clear = h("button", { type: "button", class: "rs-quiet", text: "Delete all" });
    const close = h("button", { type: "button", class: "rs-quiet", text: "Close" });
    this.dialog = h(
      "dialog",
      { class: "rs rs-shelf", "aria-label": "Runs of this browser" },
      h("header", {}, h("h2", { text: "Runs" }), close),
      this.note,
      this.list,
      h("footer", {}, this.compare, this.clear),
    );
    document.body.append(this.dialog);
    this.button.addEventListener("click", () => void this.show());
    close.addEventListener("click", () => this.dialog.close());
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    this.compare.addEventListener("click", () => this.goCompare());
    this.clear.addEventListener("click", () => void this.deleteAll());
    bus.on("state", (state) => {
      this.busy = state !== "idle";
      this.draw();
    });
    shelf.subscribe(() => void this.refresh());
    void this.refresh();
  }

  async show() {
    await this.refresh();
    this.dialog.showModal();
  }

  async refresh() {
    try {
      this.rows = await shelf.rows();
      this.note.textContent = this.rows.length
        ? `The last ${MOST} runs stay here, in this browser only. Tick two to four of one prompt to compare them.`
        : "No runs yet: each run, recorded run and opened trace comes here, and stays in this browser only.";
    } catch {
      this.rows = [];
      this.note.textContent = NO_SHELF;
    }
    this.ticked = this.ticked.filter((id) => this.rows.some((row) => row.id === id));
    this.draw();
  }

  get baseline() {
    return this.rows.find(({ pinned }) => pinned) ?? null;
  }

  /** What would be compared: the ticked, after the one that others are held against. */
  get picked() {
    const { baseline, ticked } = this;
    const held = baseline && ticked.length && !ticked.includes(baseline.id) && this.fits(baseline);
    return (held ? [baseline.id, ...ticked] : ticked).slice(0, LETTERS.length);
  }

  /**
   * Only runs of one prompt can be compared.
   *
   * @param {Row} row
   */
  fits(row) {
    const first = this.rows.find(({ id }) => id === this.ticked[0]);
    return !first || first.asks === row.asks;
  }

  draw() {
    const { rows, picked } = this;
    this.button.textContent = rows.length ? `Runs (${rows.length})` : "Runs";
    fill(
      this.list,
      rows.map((row) => this.item(row)),
    );
    this.compare.disabled = picked.length < FEWEST;
    this.compare.textContent = picked.length < FEWEST ? "Compare" : `Compare ${picked.length} runs`;
    this.clear.hidden = !rows.length;
  }

  /** @param {Row} row */
  item(row) {
    const name = row.showcase ? row.name : row.title;
    const at = this.picked.indexOf(row.id);
    const full = this.ticked.length >= LETTERS.length && at < 0;
    const tick = h("input", {
      type: "checkbox",
      checked: this.ticked.includes(row.id),
      disabled: full || !this.fits(row),
      title: this.fits(row) ? "Compare" : "Answers another prompt",
      "aria-label": `Compare ${name}`,
      on: { change: () => this.tick(row.id) },
    });
    const open = h(
      "button",
      {
        type: "button",
        class: "rs-shelf-run",
        disabled: this.busy,
        title: this.busy ? "A run is under way" : "Open it in Live, as it was",
        on: { click: () => this.open(row) },
      },
      h("strong", { text: name }),
      h("span", { class: "rs-shelf-setup", text: setupOf(row) }),
      h("span", { class: "rs-shelf-numbers", text: numbersOf(row.outcome).join(" · ") }),
      this.against(row),
      h("span", { class: "rs-shelf-prompt", text: row.prompt }),
    );
    const pin = h("button", {
      type: "button",
      class: "rs-quiet",
      text: row.pinned ? "Baseline" : "Pin",
      title: "Hold the other runs of its prompt against this one",
      "aria-label": `${row.pinned ? "Baseline" : "Pin"}: ${name}`,
      "aria-pressed": String(row.pinned),
      on: { click: () => void shelf.pin(row.id) },
    });
    const remove = h("button", {
      type: "button",
      class: "rs-quiet",
      text: "Delete",
      "aria-label": `Delete ${name}`,
      on: { click: () => void shelf.remove([row.id]) },
    });
    const letter = at >= 0 && h("span", { class: `rs-letter rs-lane-${LETTERS[at]}`, text: LETTERS[at] });
    const attributes = { "data-run": row.id, class: row.pinned ? "is-pinned" : "" };
    return h("li", attributes, h("span", {}, tick, letter), open, h("div", {}, pin, remove));
  }

  /** @param {Row} row */
  against({ id, asks, outcome }) {
    const { baseline } = this;
    if (!baseline || baseline.id === id || baseline.asks !== asks) return null;
    const [ours, theirs] = [outcome.per_pass, baseline.outcome.per_pass];
    if (!ours || !theirs) return null;
    const text = `${(ours / theirs).toFixed(2)}× the baseline's tokens per pass`;
    return h("span", { class: "rs-shelf-against", text });
  }

  /** @param {string} id */
  tick(id) {
    this.ticked = this.ticked.includes(id) ? this.ticked.filter((other) => other !== id) : [...this.ticked, id];
    this.draw();
    const box = this.list.querySelector(`[data-run="${CSS.escape(id)}"] input`);
    if (box instanceof HTMLElement) box.focus();
  }

  /** @param {Row} row */
  open({ id }) {
    this.dialog.close();
    if (!bus.emit("reopen", { id })) location.assign(`${this.root}/?run=${encodeURIComponent(id)}`);
  }

  goCompare() {
    location.assign(`${this.root}/compare?runs=${this.picked.map(encodeURIComponent).join()}`);
  }

  async deleteAll() {
    if (!confirm(`Delete all ${this.rows.length} runs of this browser?`)) return;
    await shelf.remove(this.rows.map(({ id }) => id));
  }
}

/** @param {Row} row */
function setupOf({ kind, setup, showcase, title, tokens }) {
  const made = setup ? setupText(setup) : "";
  return [KINDS[kind], showcase && title, made, `${tokens} tokens`].filter(Boolean).join(" · ");
}

/**
 * @param {Outcome} outcome
 * @returns {string[]}
 */
function numbersOf({ per_pass, speed, equal }) {
  const found = per_pass === null ? [] : [`${per_pass.toFixed(2)} tokens per pass`];
  if (speed?.silent) {
    const spread = `${speed.low.toFixed(2)} to ${speed.high.toFixed(2)}`;
    found.push(`${speed.ratio.toFixed(2)}× plain (${spread}, ${speed.repeats} repeats)`);
  } else if (speed) found.push(`${speed.ratio.toFixed(2)}× plain (one timing)`);
  if (equal !== null) found.push(equal ? "same text as plain" : "other text than plain");
  return found;
}

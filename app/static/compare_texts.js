// The texts beside each other, position by position; where one leaves the reference is marked and explained.

import { tokensBy } from "./compare_store.js";
import { fill, h, numberColumn } from "./dom.js";
import { figurePanel } from "./figure_panel.js";
import { setupText } from "./setup_text.js";
import { visible } from "./signs.js";
import { Characters, tokenSpan } from "./token_span.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { Rows } from "./figure_panel.js" */
/** @import { Comparison, Lane } from "./types.js" */

/** @typedef {{ lane: Lane, list: HTMLElement, spans: HTMLElement[], written: number, at: number }} Column */

export class Texts {
  /** @type {Column[]} */
  columns = [];

  /** @param {CompareStore} store */
  constructor(store) {
    this.store = store;
    this.scroll = h("div", { class: "rs-compare-columns" });
    const hint = "point at a token: every panel shows its position";
    this.made = figurePanel({ id: "texts", title: "Texts", hint, figure: this, rows: () => this.rows() });
    this.made.tools.save.remove(); // it is text
    this.element = this.made.panel;
    this.listen();
  }

  listen() {
    /** @param {Event} event */
    const indexOf = ({ target }) => {
      const span = target instanceof Element ? target.closest(".rs-token") : null;
      return span instanceof HTMLElement ? Number(span.dataset.index) : null;
    };
    this.scroll.addEventListener("pointerover", (event) => this.store.hover(indexOf(event)));
    this.scroll.addEventListener("pointerleave", () => this.store.hover(null));
    for (const kind of ["click", "focusin"])
      this.scroll.addEventListener(kind, (event) => {
        const index = indexOf(event);
        if (index !== null) this.store.pin(index);
      });
  }

  draw() {
    const { comparison } = this.store;
    this.columns = (comparison?.lanes ?? []).map((lane) => column(lane));
    fill(
      this.scroll,
      this.columns.map(({ lane, list }) =>
        h("div", { class: "rs-compare-text" }, heading(lane), verdict(lane, comparison), list),
      ),
    );
    this.made.refresh();
    this.drawTime();
    this.drawSelection(false);
  }

  redraw() {} // text flows by itself

  async image() {}

  /** @returns {Rows} position by position, a column for every run */
  rows() {
    const lanes = this.store.comparison?.lanes ?? [];
    const data = Array.from({ length: this.store.positions }, (_, position) => {
      const pieces = lanes.map(({ letter, tokens }) => [
        letter,
        tokens[position] ? visible(tokens[position].piece) : null,
      ]);
      const apart = new Set(pieces.map(([, piece]) => piece)).size > 1;
      return { position, ...Object.fromEntries(pieces), apart: apart ? "≠" : "" };
    });
    return {
      columns: [
        numberColumn("position", "position"),
        ...lanes.map(({ letter }) => ({ key: letter, label: letter, mono: true })),
        { key: "apart", label: "differs" },
      ],
      data,
      pick: ({ position }) => this.store.pin(position),
    };
  }

  drawTime() {
    for (const column of this.columns) {
      const written = tokensBy(column.lane, this.store.time);
      const from = Math.min(written, column.written),
        to = Math.max(written, column.written);
      for (const span of column.spans.slice(from, to)) span.classList.toggle("is-future", written < column.written);
      column.written = written;
    }
  }

  /** @param {boolean} scroll whether the token is brought into view */
  drawSelection(scroll) {
    const { position } = this.store;
    for (const column of this.columns) {
      const before = column.spans[column.at],
        now = column.spans[position];
      before?.classList.remove("is-selected");
      before?.setAttribute("tabindex", "-1");
      now?.classList.add("is-selected");
      (now ?? column.spans.at(-1))?.setAttribute("tabindex", "0");
      column.at = position;
      if (scroll && now) keepInView(column.list, now);
    }
  }

  /** Brings the focus to the selected token of the column that has it. */
  follow() {
    const { activeElement } = document;
    const column = this.columns.find(({ list }) => list.contains(activeElement));
    column?.spans[this.store.position]?.focus({ preventScroll: true });
  }
}

/** @param {Lane} lane */
function heading({ letter, title, paper, numbers }) {
  return h(
    "div",
    { class: "rs-compare-head" },
    h("span", { class: `rs-letter rs-lane-${letter}`, text: letter }),
    h("strong", { text: title, title: paper }),
    h("span", { class: "rs-made", text: setupText(numbers) }),
  );
}

/**
 * @param {Lane} lane
 * @param {Comparison | null} comparison
 */
function verdict({ letter, parting }, comparison) {
  const reference = comparison?.lanes[comparison.reference].letter ?? "A";
  if (letter === reference) return h("p", { class: "rs-parting", text: "The others are held against this text." });
  if (!parting) return h("p", { class: "rs-parting is-same", text: `Same text as ${reference}, token for token.` });
  return h("p", { class: `rs-parting is-${parting.kind}`, text: parting.sentence });
}

/**
 * @param {Lane} lane
 * @returns {Column}
 */
function column(lane) {
  const label = `Text of ${lane.letter}, ${lane.title}`;
  const list = h("div", { class: "rs-tokens", role: "list", "aria-label": label, "data-overlay": "outcome" });
  const characters = new Characters();
  const parting = lane.parting?.position ?? Infinity;
  const spans = lane.rounds.flatMap(({ start, end }, round) =>
    lane.tokens.slice(start, end).map((token, i) => {
      const place = { first: i === 0, completes: characters.waiting.length > 0 };
      const span = tokenSpan({ ...token, round }, start + i, place);
      span.classList.toggle("is-parting", start + i === parting);
      span.classList.toggle("is-parted", start + i > parting);
      list.append(span);
      characters.add(token, span);
      return span;
    }),
  );
  return { lane, list, spans, written: spans.length, at: 0 };
}

/**
 * Scrolls the text, never the page.
 *
 * @param {HTMLElement} list
 * @param {HTMLElement} span
 */
function keepInView(list, { offsetTop: top }) {
  const { scrollTop, clientHeight } = list;
  if (top < scrollTop || top + 28 > scrollTop + clientHeight) list.scrollTop = top - clientHeight / 2;
}

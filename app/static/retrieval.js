// What retrieval offered in the round: the two places in the text, and a row for every candidate.

import { fill, h, numberColumn, table } from "./dom.js";
import { selected } from "./picks.js";
import { withCharacters } from "./pieces.js";
import { refilled, rowsOf } from "./row_keys.js";
import { visible } from "./signs.js";
import { readSpans } from "./token_span.js";

/** @import { Context, Panel, Picked } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { CandidateRow, Column, Span } from "./types.js" */

const AROUND = 10; // tokens shown before a place
const AHEAD = 24; // tokens shown of what was copied and not accepted

/** @type {Column[]} */
const COLUMNS = [
  { key: "from", label: "source" },
  numberColumn("position", "position"),
  { key: "reads", label: "reads" },
  numberColumn("match", "match"),
  numberColumn("score", "score"),
  numberColumn("proposed", "proposed"),
  numberColumn("accepted", "accepted"),
  numberColumn("rank", "first-token rank"),
  { key: "status", label: "status" },
  { key: "why", label: "why" },
  { key: "snippet", label: "text before", mono: true },
  { key: "continuation", label: "continuation", mono: true },
];

/** @param {CandidateRow} row */
const plain = ({ source: from, snippet, continuation, ...row }) => ({
  ...row,
  from,
  snippet: quoted(snippet),
  continuation: quoted(continuation),
});

/** @implements {Panel} */
export class RetrievalPanel {
  id = "retrieval";
  reads = /** @type {const} */ (["rounds", "round"]);
  /** @type {[]} */
  figures = [];
  /** @type {CandidateRow[]} */
  rows = [];

  /** @param {Context} context */
  constructor({ store, picker }) {
    this.store = store;
    this.picker = picker;
    this.body = h("div", { class: "rs-retrieval" });
    this.table = h("div", { class: "rs-panel-table", hidden: true });
    this.toggle = h("button", { class: "rs-quiet", type: "button", "aria-pressed": "false", text: "Table" });
    this.toggle.addEventListener("click", () => {
      this.table.hidden = !this.table.hidden;
      this.body.hidden = !this.table.hidden;
      this.mark();
      this.toggle.setAttribute("aria-pressed", String(this.body.hidden));
    });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-retrieval", "data-panel": "retrieval", "aria-label": "Retrieval" },
      h(
        "header",
        {},
        h("h2", { text: "Retrieval" }),
        h("span", { class: "rs-panel-hint", text: "where the copied words come from" }),
        h("span", { class: "rs-panel-tools" }, this.toggle),
      ),
      this.body,
      this.table,
    );
  }

  /**
   * Of a method that never retrieves there is nothing to say.
   *
   * @param {Store} store
   */
  present(store) {
    return store.steps.some((step) => step.retrieval.length);
  }

  /** @param {Store} store */
  draw(store) {
    const view = store.view?.retrieval;
    if (!view) {
      this.rows = [];
      for (const place of [this.body, this.table])
        fill(place, h("p", { class: "rs-empty", text: "Nothing was retrieved in this round." }));
      return;
    }
    this.rows = view.rows;
    this.choosable(this.table, () => fill(this.table, table(COLUMNS, view.rows.map(plain))));
    const pieces = [...(store.run?.prompt_pieces ?? []), ...store.tokens.map((token) => token.piece)];
    this.choosable(this.body, () =>
      fill(
        this.body,
        view.spans.slice(0, 1).map((span) => excerpt(span, pieces)),
        view.note ? h("p", { class: "rs-empty", text: view.note }) : null,
        candidates(view.rows, wouldHaveHit(store)),
        view.more ? h("p", { class: "rs-empty", text: `+${view.more} more candidates` }) : null,
      ),
    );
  }

  /**
   * @param {HTMLElement} box
   * @param {() => void} filled
   */
  choosable(box, filled) {
    refilled(box, filled, (row) => this.picker.choose(this.pickedOf(row)));
    rowsOf(box).forEach((row, i) => {
      row.addEventListener("pointerenter", () => this.store.point(selected(this.store, this.pickedOf(i))));
      row.addEventListener("pointerleave", () => this.picker.leave());
    });
  }

  /**
   * @param {number} row
   * @returns {Picked}
   */
  pickedOf(row) {
    return { round: this.store.round, hit: this.rows[row].id };
  }

  mark() {
    for (const box of [this.body, this.table]) rowsOf(box).forEach((row, i) => this.picker.mark(row, this.pickedOf(i)));
  }
}

/**
 * How much of each candidate that was not sent equals what was written afterwards, by its id.
 *
 * @param {Store} store
 * @returns {Record<number, number>}
 */
function wouldHaveHit({ step, starts, round, tokens }) {
  const start = starts[round] ?? 0;
  const unsent = (step?.retrieval ?? []).filter((hit) => !hit.proposed);
  return Object.fromEntries(
    unsent.map((hit) => {
      const wrong = hit.cont_ids.findIndex((id, n) => tokens[start + n]?.id !== id);
      return [hit.id, wrong < 0 ? hit.cont_ids.length : wrong];
    }),
  );
}

/**
 * @param {Span} span
 * @param {string[]} pieces of prompt and output
 */
function excerpt(span, pieces) {
  /**
   * @param {number} from
   * @param {number} to
   */
  const text = (from, to) => readSpans(pieces.slice(Math.max(0, from), Math.max(0, to))).parts;
  const [m0, m1] = span.matched;
  const [c0, c1] = span.copied;
  const [s0, s1] = span.suffix;
  const accepted = c0 + span.accepted;
  return h(
    "div",
    { class: "rs-excerpts" },
    h("div", { class: "rs-excerpt-label", text: "now" }),
    h(
      "code",
      { class: "rs-excerpt" },
      "…",
      text(Math.max(0, s0 - AROUND), s0),
      h("mark", { class: "is-matched" }, text(s0, s1)),
      h("span", { class: "rs-caret", text: "▏" }),
    ),
    h("div", { class: "rs-excerpt-label", text: "before" }),
    h(
      "code",
      { class: "rs-excerpt" },
      "…",
      text(Math.max(0, m0 - AROUND), m0),
      h("mark", { class: "is-matched" }, text(m0, m1)),
      h("mark", { class: "is-copied is-accepted" }, text(c0, accepted)),
      h("mark", { class: "is-copied" }, text(accepted, Math.min(c1, accepted + AHEAD))),
      c1 > accepted + AHEAD ? "…" : "",
    ),
    h(
      "div",
      { class: "rs-excerpt-key" },
      h("mark", { class: "is-matched", text: "matched" }),
      h("mark", { class: "is-copied is-accepted", text: "copied ✓" }),
      h("mark", { class: "is-copied", text: "copied ✗" }),
    ),
  );
}

/** @param {string} text */
const quoted = (text) => visible(withCharacters(text));

/** @typedef {"source" | "reads" | "match" | "score" | "proposed" | "accepted" | "rank" | "status"} Shown */

/** @param {Shown} column */
const style = (column) => (column === "source" || column === "status" ? "" : "num");

/**
 * @param {CandidateRow[]} rows
 * @param {Record<number, number>} would
 */
function candidates(rows, would) {
  /** @type {Shown[]} */
  const columns = ["source", "reads", "match", "score", "proposed", "accepted", "rank", "status"];
  const some = new Set(["reads", "score", "rank"]); // only where some candidate has them
  const shown = columns.filter((c) => !some.has(c) || rows.some((row) => row[c]));
  const head = shown.map((c) => h("th", { scope: "col", class: style(c), text: c }));
  return h(
    "div",
    { class: "rs-table-wrap", tabindex: 0, role: "group", "aria-label": "Table" },
    h(
      "table",
      { class: "rs-table" },
      h("thead", {}, h("tr", {}, head)),
      h(
        "tbody",
        {},
        rows.map((row) => candidate(row, shown, would)),
      ),
    ),
  );
}

/**
 * @param {CandidateRow} row
 * @param {Shown[]} columns
 * @param {Record<number, number>} would
 */
function candidate(row, columns, would) {
  const said = `${quoted(row.snippet)} ▸ ${quoted(row.continuation).slice(0, 90)}`;
  const why = row.why && h("span", { text: row.why });
  return [
    h(
      "tr",
      { class: row.kept ? "" : "is-dropped" },
      columns.map((c) => h("td", { class: style(c), text: cell(row, c, would) })),
    ),
    h("tr", { class: "rs-sub" }, h("td", { colspan: columns.length }, h("code", { text: said }), why)),
  ];
}

/**
 * @param {CandidateRow} row
 * @param {Shown} column
 * @param {Record<number, number>} would
 */
function cell(row, column, would) {
  if (column === "source") return `${row.source} @ ${row.position}`;
  if (column === "status" && row.kept && !row.proposed)
    return `not asked for: ${would[row.id] || "none"} would have been right`;
  return String(row[column]);
}

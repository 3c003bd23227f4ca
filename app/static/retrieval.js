// What retrieval offered in the round: the two places in the text, and a row for every candidate.

import { fill, h, visible } from "./dom.js";

const AROUND = 10;

export class RetrievalPanel {
  constructor() {
    this.body = h("div", { class: "rs-retrieval" });
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-retrieval", "data-panel": "retrieval", "aria-label": "Retrieval" },
      h(
        "header",
        {},
        h("h2", { text: "Retrieval" }),
        h("span", { class: "rs-panel-hint", text: "where the copied words come from" }),
      ),
      this.body,
    );
  }

  draw(view, pieces, would) {
    if (!view) {
      fill(this.body, h("p", { class: "rs-empty", text: "Nothing was retrieved in this round." }));
      return;
    }
    fill(
      this.body,
      view.spans.slice(0, 1).map((span) => excerpt(span, pieces)),
      view.note ? h("p", { class: "rs-empty", text: view.note }) : null,
      candidates(view.rows, would),
      view.more ? h("p", { class: "rs-empty", text: `+${view.more} more candidates` }) : null,
    );
  }
}

function excerpt(span, pieces) {
  const text = (from, to) => visibleBreaks(pieces.slice(Math.max(0, from), Math.max(0, to)).join(""));
  const [m0, m1] = span.matched,
    [c0, c1] = span.copied,
    [s0, s1] = span.suffix;
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
      h("mark", { class: "is-matched", text: text(s0, s1) }),
      h("span", { class: "rs-caret", text: "▏" }),
    ),
    h("div", { class: "rs-excerpt-label", text: "before" }),
    h(
      "code",
      { class: "rs-excerpt" },
      "…",
      text(Math.max(0, m0 - AROUND), m0),
      h("mark", { class: "is-matched", text: text(m0, m1) }),
      h("mark", { class: "is-copied is-accepted", text: text(c0, accepted) }),
      h("mark", { class: "is-copied", text: text(accepted, Math.min(c1, accepted + 24)) }),
      c1 > accepted + 24 ? "…" : "",
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

const visibleBreaks = (text) => text.replaceAll("\n", "↵\u200b");

function candidates(rows, would) {
  const scored = rows.some((row) => row.score);
  const reads = rows.some((row) => row.reads);
  const columns = ["source", reads && "reads", "match", scored && "score", "proposed", "accepted", "status"].filter(
    Boolean,
  );
  return h(
    "div",
    { class: "rs-table-wrap" },
    h(
      "table",
      { class: "rs-table" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((c) => h("th", { scope: "col", class: c === "source" || c === "status" ? "" : "num", text: c })),
        ),
      ),
      h(
        "tbody",
        {},
        rows.flatMap((row) => [
          h(
            "tr",
            { class: row.kept ? "" : "is-dropped" },
            columns.map((c) =>
              h("td", { class: c === "source" || c === "status" ? "" : "num", text: cell(row, c, would) }),
            ),
          ),
          h(
            "tr",
            { class: "rs-sub" },
            h(
              "td",
              { colspan: columns.length },
              h("code", { text: `${visible(row.snippet)} ▸ ${visible(row.continuation).slice(0, 90)}` }),
              row.why && h("span", { text: row.why }),
            ),
          ),
        ]),
      ),
    ),
  );
}

function cell(row, column, would) {
  if (column === "source") return `${row.source} @ ${row.position}`;
  if (column === "status" && row.kept && !row.proposed)
    return `not asked for: ${would[row.id] || "none"} would have been right`;
  return String(row[column] ?? "–");
}

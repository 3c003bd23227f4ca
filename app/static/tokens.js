// The text, token by token. Fill follows the chosen overlay; line and mark always say the outcome.

import { fill, h, visible } from "./dom.js";
import { ENTROPY_DOMAIN, entropyColor } from "./scales.js";
import { OUTCOMES, OVERLAYS, SOURCES } from "./vocabulary.js";

export class TokenText {
  constructor({ onHover, onLeave, onPick }) {
    this.handlers = { onHover, onLeave, onPick };
    this.overlay = "outcome";
    this.spans = [];
    this.current = 0; // the one token in the tab order
    this.prompt = h("div", { class: "rs-prompt", tabindex: "0", role: "region", "aria-label": "Prompt" });
    this.list = h("div", { class: "rs-tokens", role: "list", "aria-label": "Output, token by token" });
    this.legend = h("div", { class: "rs-legend" });
    this.choice = h(
      "div",
      { class: "rs-segments", role: "radiogroup", "aria-label": "Colour the text by" },
      OVERLAYS.map((overlay, i) =>
        h("button", {
          type: "button",
          role: "radio",
          "data-overlay": overlay.id,
          title: `${overlay.about} (key ${i + 1})`,
          text: overlay.label,
          on: { click: () => this.setOverlay(overlay.id) },
        }),
      ),
    );
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-text", "data-panel": "text", "aria-label": "Text" },
      h("header", {}, h("h2", { text: "Text" }), this.choice, this.legend),
      this.prompt,
      this.list,
    );
    this.listen();
    this.setOverlay("outcome");
  }

  listen() {
    const indexOf = (event) => {
      const span = event.target.closest?.(".rs-token");
      return span ? Number(span.dataset.index) : -1;
    };
    this.list.addEventListener("pointerover", (event) => {
      const i = indexOf(event);
      if (i >= 0) this.handlers.onHover(i, this.spans[i]);
    });
    this.list.addEventListener("pointerleave", () => this.handlers.onLeave());
    this.list.addEventListener("focusin", (event) => {
      const i = indexOf(event);
      if (i >= 0) {
        this.move(i, false);
        this.handlers.onHover(i, this.spans[i]);
      }
    });
    this.list.addEventListener("focusout", () => this.handlers.onLeave());
    this.list.addEventListener("click", (event) => {
      const i = indexOf(event);
      if (i >= 0) this.handlers.onPick(i);
    });
    this.list.addEventListener("keydown", (event) => {
      const i = indexOf(event);
      if (i < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
      const to = { ArrowLeft: i - 1, ArrowRight: i + 1, Home: 0, End: this.spans.length - 1 }[event.key];
      if (event.key === "Enter") this.handlers.onPick(i);
      else if (event.key === "Escape") this.spans[i].blur();
      else if (to !== undefined) this.move(Math.min(this.spans.length - 1, Math.max(0, to)), true);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  move(to, focus) {
    this.spans[this.current]?.setAttribute("tabindex", "-1");
    this.current = to;
    this.spans[to]?.setAttribute("tabindex", "0");
    if (focus) this.spans[to]?.focus();
  }

  setOverlay(id) {
    this.overlay = id;
    this.list.dataset.overlay = id;
    for (const button of this.choice.children)
      button.setAttribute("aria-checked", String(button.dataset.overlay === id));
    this.drawLegend();
  }

  reset(run) {
    this.spans = [];
    this.current = 0;
    this.shown = -1;
    this.pieces = run?.prompt_pieces?.length ? run.prompt_pieces : [run?.prompt_text || ""];
    fill(this.list);
    fill(this.prompt, this.pieces.join(""));
    this.marked = "";
    this.drawLegend();
  }

  append(tokens) {
    const added = document.createDocumentFragment();
    for (const token of tokens) {
      const span = tokenSpan(token, this.spans.length, this.spans.at(-1)?.dataset.round);
      if (!this.spans.length) span.setAttribute("tabindex", "0");
      this.spans.push(span);
      added.append(span);
    }
    this.list.append(added);
    if (tokens.length) this.drawLegend();
  }

  // Tokens behind the round are dimmed, the round's own are framed.
  showRound(round, last) {
    for (const span of this.spans) {
      const at = Number(span.dataset.round);
      span.classList.toggle("is-future", at > round);
      span.classList.toggle("is-now", at === round && !last);
    }
    this.keepInView(this.spans.findLast((span) => Number(span.dataset.round) === round));
  }

  // Scrolls the text, never the page.
  keepInView(span) {
    if (!span) return;
    const top = span.offsetTop,
      { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || top + 28 > scrollTop + clientHeight) this.list.scrollTop = top - clientHeight + 60;
  }

  // Where a retrieved draft came from: `matched` is the earlier occurrence, `copied` what followed it.
  mark(span) {
    const key = JSON.stringify(span || null);
    if (key === this.marked) return;
    this.marked = key;
    const n = this.pieces.length;
    const inside = ([from, to], at) => at >= from && at < to;
    this.spans.forEach((element, i) => {
      const at = n + i;
      element.classList.toggle("is-suffix", Boolean(span) && inside(span.suffix, at));
      element.classList.toggle("is-matched", Boolean(span) && inside(span.matched, at));
      element.classList.toggle("is-copied", Boolean(span) && inside(span.copied, at));
    });
    if (!span) return void fill(this.prompt, this.pieces.join(""));
    const cuts = [
      [span.matched, "is-matched", "matched: the same tokens as at the end of the text"],
      [[span.copied[0], span.copied[0] + span.accepted], "is-copied is-accepted", "copied and accepted"],
      [[span.copied[0] + span.accepted, span.copied[1]], "is-copied", "copied, not accepted"],
    ];
    const parts = [];
    let at = 0;
    for (const [[from, to], style, title] of cuts) {
      const start = Math.min(Math.max(from, at), n),
        end = Math.min(to, n);
      if (end <= start) continue;
      parts.push(
        this.pieces.slice(at, start).join(""),
        h("mark", { class: style, title, text: this.pieces.slice(start, end).join("") }),
      );
      at = end;
    }
    fill(this.prompt, parts, this.pieces.slice(at).join(""));
    const first = this.prompt.querySelector("mark");
    if (first) this.prompt.scrollTop = first.offsetTop - this.prompt.offsetTop - 30;
  }

  drawLegend() {
    if (this.overlay === "entropy")
      return void fill(this.legend, ramp("rs-ramp-entropy", `${ENTROPY_DOMAIN[0]}`, `${ENTROPY_DOMAIN[1]} nats`));
    if (this.overlay === "probability") return void fill(this.legend, ramp("rs-ramp-p", "0 %", "100 %"));
    const present = (key) => [...new Set(this.spans.map((span) => span.dataset[key]))];
    if (this.overlay === "source") {
      return void fill(
        this.legend,
        present("source")
          .filter((s) => SOURCES[s])
          .map((s) =>
            h("span", {
              class: `rs-key rs-src-${s}`,
              title: SOURCES[s].about,
              text: `${SOURCES[s].glyph} ${SOURCES[s].name}`,
            }),
          ),
      );
    }
    const order = Object.keys(OUTCOMES).filter((o) => present("outcome").includes(o));
    fill(
      this.legend,
      order.map((o) =>
        h("span", {
          class: `rs-key rs-out-${o}`,
          title: OUTCOMES[o].about,
          text: `${OUTCOMES[o].glyph} ${OUTCOMES[o].name}`,
        }),
      ),
    );
  }
}

function ramp(style, low, high) {
  return h("span", { class: "rs-ramp" }, low, h("span", { class: `rs-ramp-bar ${style}` }), high);
}

function tokenSpan(token, index, previousRound) {
  const shown = token.text || token.piece;
  const hidden = !token.text; // a special token, or a part of a character
  const source = (token.source || "target").split("+")[0];
  const span = h("span", {
    class:
      `rs-token rs-out-${token.outcome} rs-src-${source}` +
      (hidden ? " is-raw" : "") +
      (String(token.round) !== previousRound ? " is-first" : ""),
    role: "listitem",
    tabindex: "-1",
    "data-index": index,
    "data-round": token.round,
    "data-outcome": token.outcome,
    "data-source": source,
    "aria-label": `${visible(token.piece)}, ${OUTCOMES[token.outcome]?.name}, probability ${token.p.toFixed(2)}`,
    style: {
      "--fill-h": `${Math.min(100, (100 * token.entropy) / ENTROPY_DOMAIN[1]).toFixed(0)}%`,
      "--fill-c": entropyColor(token.entropy),
      "--fill-p": `${(100 * token.p).toFixed(0)}%`,
    },
  });
  const glyph = { correction: "↻", bonus: "+", relaxed_accept: "≈" }[token.outcome];
  if (glyph) span.append(h("span", { class: "rs-glyph", "aria-hidden": "true", text: glyph }));
  const breaks = /^([^\n]*)(\n+)([^]*)$/.exec(shown); // a line break is shown as a mark, then made
  if (breaks && !hidden)
    span.append(breaks[1], h("span", { class: "rs-break", "aria-hidden": "true", text: "↵" }), breaks[2], breaks[3]);
  else span.append(shown);
  return span;
}

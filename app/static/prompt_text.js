// The prompt, with the places where the round's copied draft came from.

import { fill, h } from "./dom.js";
import { beforeFrame } from "./frames.js";
import { readSpans } from "./token_span.js";

/** @import { RunHead, Span } from "./types.js" */

const MARKS = ["is-matched", "is-copied", "is-accepted"];

export class PromptText {
  constructor() {
    this.element = h("div", { class: "rs-prompt", dir: "auto", tabindex: "0", role: "region", "aria-label": "Prompt" });
    /** @type {string[]} */
    this.pieces = [];
    /** @type {HTMLElement[]} */
    this.spans = []; // one a piece
    /** @type {HTMLElement[]} */
    this.marked = [];
  }

  /** @param {RunHead | null} run */
  reset(run) {
    this.pieces = run?.prompt_pieces.length ? run.prompt_pieces : [run?.prompt_text ?? ""];
    const { parts, spans } = readSpans(this.pieces);
    this.spans = spans;
    this.marked = [];
    fill(this.element, parts);
  }

  /** @param {Span | undefined} span `matched` is the earlier occurrence, `copied` what followed it */
  mark(span) {
    for (const one of this.marked) {
      one.classList.remove(...MARKS);
      one.removeAttribute("title");
    }
    this.marked = [];
    if (!span) return;
    const [from, to] = span.copied;
    const accepted = from + span.accepted;
    this.highlight([from, accepted], "copied and accepted", ["is-copied", "is-accepted"]);
    this.highlight([accepted, to], "copied, not accepted", ["is-copied"]);
    this.highlight(span.matched, "matched: the same tokens as at the end of the text", ["is-matched"]);
    const first = this.spans.find((one) => this.marked.includes(one));
    if (first) beforeFrame(this, () => (this.element.scrollTop = first.offsetTop - this.element.offsetTop - 30));
  }

  /**
   * @param {[from: number, to: number]} range
   * @param {string} title
   * @param {string[]} names
   */
  highlight([from, to], title, names) {
    for (const span of this.spans.slice(Math.max(0, from), Math.max(0, to))) {
      span.classList.remove(...MARKS);
      span.classList.add(...names);
      span.title = title;
      this.marked.push(span);
    }
  }
}

// The prompt, with the places where the round's copied draft came from.

import { asRead } from "./as_read.js";
import { fill, h } from "./dom.js";

/** @import { RunHead, Span } from "./types.js" */

export class PromptText {
  constructor() {
    this.element = h("div", { class: "rs-prompt", dir: "auto", tabindex: "0", role: "region", "aria-label": "Prompt" });
    /** @type {string[]} */
    this.pieces = [];
  }

  /** @param {RunHead | null} run */
  reset(run) {
    this.pieces = run?.prompt_pieces.length ? run.prompt_pieces : [run?.prompt_text ?? ""];
    fill(this.element, asRead(this.pieces.join("")));
  }

  /** @param {Span | undefined} span `matched` is the earlier occurrence, `copied` what followed it */
  mark(span) {
    if (!span) return void fill(this.element, asRead(this.pieces.join("")));
    const [from, to] = span.copied;
    const accepted = from + span.accepted;
    /** @type {Array<[number, number, string, string]>} */
    const cuts = [
      [...span.matched, "is-matched", "matched: the same tokens as at the end of the text"],
      [from, accepted, "is-copied is-accepted", "copied and accepted"],
      [accepted, to, "is-copied", "copied, not accepted"],
    ];
    const text = (/** @type {number} */ start, /** @type {number} */ end) =>
      asRead(this.pieces.slice(start, end).join(""));
    const parts = [];
    let at = 0;
    for (const [low, high, style, title] of cuts) {
      const start = Math.min(Math.max(low, at), this.pieces.length);
      const end = Math.min(high, this.pieces.length);
      if (end <= start) continue;
      parts.push(text(at, start), h("mark", { class: style, title }, text(start, end)));
      at = end;
    }
    fill(this.element, parts, text(at, this.pieces.length));
    const first = this.element.querySelector("mark");
    if (first) this.element.scrollTop = first.offsetTop - this.element.offsetTop - 30;
  }
}

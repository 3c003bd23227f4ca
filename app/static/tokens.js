// The text, token by token. Fill follows the chosen overlay; line and mark always say the outcome.

import { tokenCard } from "./cards.js";
import { fill, h } from "./dom.js";
import { beforeFrame } from "./frames.js";
import { tokensOf } from "./picks.js";
import { PromptText } from "./prompt_text.js";
import { legendOf } from "./text_legend.js";
import { Characters, firstSource, tokenSpan } from "./token_span.js";
import { OVERLAYS } from "./vocabulary.js";

/** @import { Context, Panel } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { LoopView, Span, Token } from "./types.js" */
/** @import { Overlay } from "./vocabulary.js" */

/** @implements {Panel} */
export class TokenText {
  id = "text";
  reads = /** @type {const} */ (["run", "rounds", "round"]);
  always = true;
  /** @type {[]} */
  figures = [];
  /** @type {Overlay} */
  overlay = "outcome";
  generation = -1;
  /** @type {Token[]} */
  shown = [];
  /** @type {HTMLElement[]} */
  spans = []; // of the tokens that are shown
  current = 0; // the one in the tab order
  looked = { round: 0, drawn: 0 }; // the round that is shown, and how many tokens there were then
  marked = "";
  looped = "null";
  characters = new Characters();
  found = { outcome: new Set(), source: new Set() }; // among them

  /** @type {Record<"is-chosen" | "is-pointed", [from: number, to: number]>} */
  picked = { "is-chosen": [0, 0], "is-pointed": [0, 0] };

  /** @param {Pick<Context, "store" | "picker">} context */
  constructor({ store, picker }) {
    this.store = store;
    this.picker = picker;
    this.prompt = new PromptText();
    this.list = h("div", { class: "rs-tokens", role: "list", dir: "auto", "aria-label": "Output, token by token" });
    this.legend = h("div", { class: "rs-legend" });
    this.choice = h("div", { class: "rs-segments", role: "radiogroup", "aria-label": "Colour the text by" });
    this.overlayButtons = OVERLAYS.map(this.overlayButton, this);
    fill(this.choice, this.overlayButtons);
    this.choice.addEventListener("keydown", (event) => this.chooseByKey(event));
    this.element = h(
      "section",
      { class: "rs-panel rs-panel-text", "data-panel": "text", "aria-label": "Text" },
      h("header", {}, h("h2", { text: "Text" }), this.choice, this.legend),
      this.prompt.element,
      this.list,
    );
    this.listen();
    this.setOverlay("outcome");
  }

  /**
   * @param {{ id: Overlay, label: string, about: string }} overlay
   * @param {number} i
   */
  overlayButton({ id, label, about }, i) {
    const title = `${about} (key ${i + 1})`;
    const attributes = { type: "button", role: "radio", "data-overlay": id, title, text: label };
    return h("button", { ...attributes, on: { click: () => this.setOverlay(id) } });
  }

  /** @param {KeyboardEvent} event */
  chooseByKey(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = OVERLAYS.findIndex(({ id }) => id === this.overlay) + by + OVERLAYS.length;
    this.setOverlay(OVERLAYS[at % OVERLAYS.length].id);
    this.overlayButtons[at % OVERLAYS.length].focus();
  }

  listen() {
    this.onToken("pointerover", (i) => this.tell(i));
    this.onToken("focusin", (i) => this.move(i));
    this.onToken("focusin", (i) => this.tell(i));
    this.onToken("click", (i) => this.pick(i));
    this.onToken("keydown", (i, event) => this.key(i, /** @type {KeyboardEvent} */ (event)));
    for (const leaving of ["pointerleave", "focusout"]) this.list.addEventListener(leaving, () => this.picker.leave());
  }

  /**
   * @param {string} type
   * @param {(i: number, event: Event) => void} act
   */
  onToken(type, act) {
    this.list.addEventListener(type, (event) => {
      const span = event.target instanceof Element ? event.target.closest(".rs-token") : null;
      if (span instanceof HTMLElement) act(Number(span.dataset.index), event);
    });
  }

  /**
   * @param {number} i the token that has the focus
   * @param {KeyboardEvent} event
   */
  key(i, event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = this.spans.length - 1;
    const to = new Map([
      ["ArrowLeft", Math.max(0, i - 1)],
      ["ArrowRight", Math.min(last, i + 1)],
      ["Home", 0],
      ["End", last],
    ]).get(event.key);
    if (event.key === "Enter") this.pick(i);
    else if (to !== undefined) this.spans[to].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {number} i */
  tell(i) {
    this.picker.point({ token: i }, tokenCard(this.store, i), this.spans[i].getBoundingClientRect());
  }

  /** @param {number} i */
  pick(i) {
    this.picker.choose({ token: i });
  }

  /** @param {number} to the one token in the tab order */
  move(to) {
    this.spans[this.current]?.setAttribute("tabindex", "-1");
    this.current = to;
    this.spans[to]?.setAttribute("tabindex", "0");
  }

  /** @param {Overlay} id */
  setOverlay(id) {
    this.overlay = id;
    this.list.dataset.overlay = id;
    for (const button of this.overlayButtons) {
      const chosen = button.dataset.overlay === id;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1; // one stop; arrows choose
    }
    this.drawLegend();
  }

  /** @param {Store} store */
  draw(store) {
    if (store.generation !== this.generation || store.tokens.length < this.spans.length) {
      this.generation = store.generation;
      this.reset();
    }
    this.append(store.tokens.slice(this.spans.length));
    const newest = store.round === store.steps.length - 1;
    this.showRound(store.round, newest && store.running);
    this.markCopied(store.view?.retrieval?.spans[0]);
    this.markLoop(store.metrics?.loop ?? null);
  }

  /** @param {Store} store */
  mark(store) {
    const [before] = this.picked["is-chosen"];
    this.show("is-chosen", tokensOf(store, store.selection));
    this.show("is-pointed", tokensOf(store, store.pointed));
    const [from, to] = this.picked["is-chosen"];
    if (from < to && from !== before) this.keepInView(this.spans[from]);
  }

  /**
   * @param {"is-chosen" | "is-pointed"} name
   * @param {[from: number, to: number]} range of the tokens that have it
   */
  show(name, range) {
    for (const span of this.spans.slice(...this.picked[name])) span.classList.remove(name);
    for (const span of this.spans.slice(...range)) span.classList.add(name);
    this.picked[name] = range;
  }

  /** @param {LoopView | null} loop where the text goes round and round */
  markLoop(loop) {
    const key = JSON.stringify(loop);
    if (key === this.looped) return;
    this.looped = key;
    const [from, to] = loop ? [loop.start + loop.period, loop.start + loop.length] : [0, 0];
    this.spans.forEach((span, i) => span.classList.toggle("is-loop", i >= from && i < to));
  }

  reset() {
    this.spans = [];
    this.shown = [];
    this.current = 0;
    this.looked = { round: 0, drawn: 0 };
    this.marked = "";
    this.looped = "null";
    this.characters = new Characters();
    this.found = { outcome: new Set(), source: new Set() };
    fill(this.list);
    this.prompt.reset(this.store.run);
    this.drawLegend();
  }

  /** @param {Token[]} tokens */
  append(tokens) {
    if (!tokens.length) return;
    const added = document.createDocumentFragment();
    for (const token of tokens) {
      const first = token.round !== this.shown.at(-1)?.round;
      const span = tokenSpan(token, this.spans.length, { first, completes: this.characters.waiting.length > 0 });
      if (!this.spans.length) span.setAttribute("tabindex", "0");
      this.spans.push(span);
      this.shown.push(token);
      this.found.outcome.add(token.outcome);
      this.found.source.add(firstSource(token));
      added.append(span);
      this.characters.add(token, span);
    }
    this.list.append(added);
    this.drawLegend();
  }

  /**
   * Tokens behind the round are dimmed, the round's own are framed. Only those between it and the round of before change.
   *
   * @param {number} round
   * @param {boolean} growing the run goes on behind it
   */
  showRound(round, growing) {
    const { starts } = this.store;
    const { looked, spans } = this;
    /** @type {(from: number, until?: number) => void} */
    const paint = (from, until = spans.length) => {
      for (let i = from; i < until; i++) {
        const at = this.shown[i].round;
        spans[i].classList.toggle("is-future", at > round);
        spans[i].classList.toggle("is-now", at === round && !growing);
      }
    };
    paint(starts[Math.min(round, looked.round)] ?? 0, starts[Math.max(round, looked.round) + 1]);
    paint(looked.drawn);
    this.looked = { round, drawn: spans.length };
    const last = (starts[round + 1] ?? spans.length) - 1;
    if (last >= 0) beforeFrame(this, () => this.keepInView(spans[last]));
  }

  /**
   * Scrolls the text, never the page.
   *
   * @param {HTMLElement} span
   */
  keepInView(span) {
    if (!span.isConnected) return; // of a run that was taken away meanwhile
    const { offsetTop: top } = span;
    const { scrollTop, clientHeight } = this.list;
    if (top < scrollTop || top + 28 > scrollTop + clientHeight) this.list.scrollTop = top - clientHeight + 60;
  }

  /** @param {Span | undefined} span where a copied draft came from */
  markCopied(span) {
    const key = JSON.stringify(span ?? null);
    if (key === this.marked) return;
    this.marked = key;
    this.prompt.mark(span);
    const first = this.prompt.pieces.length;
    for (const name of /** @type {const} */ (["suffix", "matched", "copied"])) {
      const [from, to] = span?.[name] ?? [0, 0];
      this.spans.forEach((element, i) => element.classList.toggle(`is-${name}`, first + i >= from && first + i < to));
    }
  }

  drawLegend() {
    fill(this.legend, legendOf(this.overlay, this.found));
  }
}

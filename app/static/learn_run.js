// A recorded run to step through: its text, the draft tree of the round, and what became of it.

import { h, icon } from "./dom.js";
import { toldOfRun } from "./learn_here.js";
import { Task } from "./learn_task.js";
import { Characters, readSpans, tokenSpan } from "./token_span.js";
import { TreeDrawing } from "./tree_drawing.js";

/** @import { LearnContext } from "./learn_widgets.js" */
/** @import { PlayerView } from "./types.js" */

export class RunWidget {
  /**
   * @param {PlayerView} view
   * @param {LearnContext} context
   */
  constructor(view, context) {
    this.view = view;
    this.context = context;
    this.round = within(context.round ?? view.start, view.readings.length);
    this.range = h("input", {
      type: "range",
      class: "rs-range",
      min: 1,
      max: view.readings.length,
      value: this.round,
      "aria-label": "Round",
      on: { input: () => this.go(Number(this.range.value)) },
    });
    this.label = h("output", { class: "rs-round-label" });
    this.said = h("p", { class: "rs-run-said", "aria-live": "polite" });
    this.tree = new TreeDrawing();
    this.list = h("div", { class: "rs-tokens", role: "list", dir: "auto", "aria-label": "Output, token by token" });
    this.list.dataset.overlay = "outcome";
    this.spans = this.fillText();
    const task = view.goal ? new Task(context, view.say, () => this.round) : null;
    this.element = h(
      "section",
      { class: "rs-panel rs-learn-run", "aria-label": "A recorded run" },
      h("details", { class: "rs-learn-prompt" }, h("summary", { text: "The prompt" }), prompt(view.prompt)),
      h("div", { class: "rs-learn-text", tabindex: "0", role: "region", "aria-label": "The run's text" }, this.list),
      h(
        "div",
        { class: "rs-scrubber", role: "group", "aria-label": "Step through the rounds" },
        this.stepButton("previous", "Previous round", -1),
        this.stepButton("next", "Next round", 1),
        this.range,
        this.label,
      ),
      this.said,
      this.tree.scroll,
      task?.element,
    );
    this.draw();
  }

  /**
   * @param {"previous" | "next"} shape
   * @param {string} label
   * @param {number} by
   */
  stepButton(shape, label, by) {
    const attributes = { type: "button", class: "rs-icon", "aria-label": label, title: label };
    return h("button", { ...attributes, on: { click: () => this.go(this.round + by) } }, icon(shape));
  }

  fillText() {
    const characters = new Characters();
    const { tokens } = this.view;
    return tokens.map((token, i) => {
      const first = token.round !== tokens[i - 1]?.round;
      const span = tokenSpan(token, i, { first, completes: characters.waiting.length > 0 });
      this.list.append(span);
      characters.add(token, span);
      return span;
    });
  }

  /** @param {string} term */
  told(term) {
    return toldOfRun(this.view, this.round, term);
  }

  /** @param {number} round from 1 */
  go(round) {
    this.round = within(round, this.view.readings.length);
    this.draw();
    this.context.look(this.round);
  }

  draw() {
    const { readings, trees, tokens } = this.view;
    const at = this.round - 1;
    this.range.value = String(this.round);
    this.range.style.setProperty("--at", `${(100 * at) / Math.max(1, readings.length - 1)}%`);
    this.label.textContent = `Round ${this.round} / ${readings.length}`;
    this.range.setAttribute("aria-valuetext", this.label.textContent);
    this.said.textContent = readings[at].sentence;
    this.spans.forEach((span, i) => {
      span.classList.toggle("is-future", tokens[i].round > at);
      span.classList.toggle("is-now", tokens[i].round === at);
    });
    this.tree.draw(trees[at], `${this.context.key}-${at}`);
  }
}

/** @param {string[]} pieces */
const prompt = (pieces) => {
  const attributes = { class: "rs-prompt", dir: "auto", tabindex: "0", role: "region", "aria-label": "The prompt" };
  return h("div", attributes, readSpans(pieces).parts);
};

/**
 * @param {number} round
 * @param {number} last
 */
const within = (round, last) => Math.min(last, Math.max(1, round));

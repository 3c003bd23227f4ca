// A suffix automaton, word by word: its states by the length of what they stand for, and what would be copied now.

import { fill, h } from "./dom.js";
import { svg } from "./svg.js";

/** @import { AutomatonView, GrownStep } from "./types.js" */

const STEP = 74,
  ROW = 58,
  LEFT = 26,
  TOP = 104;

export class AutomatonWidget {
  /** @param {AutomatonView} view */
  constructor({ steps }) {
    this.steps = steps;
    this.range = h("input", {
      type: "range",
      class: "rs-range",
      min: 1,
      max: steps.length,
      value: 1,
      "aria-label": "Words read",
      on: { input: () => this.draw() },
    });
    this.text = h("p", { class: "rs-automaton-text mono" });
    this.said = h("p", { class: "rs-knob-said", "aria-live": "polite" });
    this.scroll = h("div", { class: "rs-mask-scroll", tabindex: "0", role: "region", "aria-label": "Automaton" });
    this.element = h(
      "section",
      { class: "rs-panel", "aria-label": "A suffix automaton" },
      this.range,
      this.text,
      this.said,
      this.scroll,
    );
    this.draw();
  }

  told() {
    return this.said.textContent ?? "";
  }

  draw() {
    const n = Number(this.range.value);
    const step = this.steps[n - 1];
    const matched = step.matched ? step.matched.split(" ").length : 0;
    this.range.style.setProperty("--at", `${(100 * (n - 1)) / Math.max(1, this.steps.length - 1)}%`);
    this.range.setAttribute("aria-valuetext", `${n} words`);
    fill(
      this.text,
      this.steps
        .slice(0, n)
        .map(({ word }, i) => [i >= n - matched ? h("mark", { class: "is-matched", text: word }) : word, " "]),
      step.copied && h("mark", { class: "is-copied", text: `▸ ${step.copied}` }),
    );
    this.said.textContent = step.matched
      ? `‘${step.matched}’ occurred before; behind it stood ‘${step.copied}’, which would be copied.`
      : `‘${step.word}’ is new: there is nothing to copy.`;
    fill(this.scroll, drawing(step));
  }
}

/** @param {GrownStep} step */
function drawing({ lengths, links, edges }) {
  const places = placesOf(lengths);
  const width = LEFT * 2 + Math.max(...lengths) * STEP;
  const height = 60 + Math.max(...places.map(({ y }) => y));
  const label = `Suffix automaton with ${lengths.length} states and ${edges.length} transitions`;
  const follow = links.flatMap((to, from) => (to < 0 ? [] : [arc(places[from], places[to], "rs-sam-link")]));
  const reads = edges.map(({ start, end, word }) => read(places[start], places[end], word));
  const states = places.map(({ x, y }, i) =>
    svg("g", {}, svg("circle", { cx: x, cy: y, r: 11, class: "rs-sam-state" }), middle(x, y + 4, String(lengths[i]))),
  );
  return svg(
    "svg",
    { class: "rs-sam", width, height, role: "img", "aria-label": label },
    ...follow,
    ...reads,
    ...states,
  );
}

/**
 * From left to right by length; states of one length below each other.
 *
 * @param {number[]} lengths
 */
function placesOf(lengths) {
  /** @type {Map<number, number>} */
  const taken = new Map();
  return lengths.map((length) => {
    const row = taken.get(length) ?? 0;
    taken.set(length, row + 1);
    return { x: LEFT + length * STEP, y: TOP + row * ROW };
  });
}

/** @typedef {{ x: number, y: number }} Place */

/**
 * @param {Place} from
 * @param {Place} to
 * @param {string} style
 */
function arc(from, to, style) {
  const bend = Math.min(96, 20 + Math.abs(to.x - from.x) / 8);
  const d = `M${from.x} ${from.y}Q${(from.x + to.x) / 2} ${Math.max(from.y, to.y) + bend} ${to.x} ${to.y}`;
  return svg("path", { d, class: style });
}

/**
 * @param {Place} from
 * @param {Place} to
 * @param {string} word
 */
function read(from, to, word) {
  const far = to.x - from.x > STEP;
  const bend = far ? Math.min(84, (to.x - from.x) / 6.5) : 0;
  const x = (from.x + to.x) / 2;
  const y = (from.y + to.y) / 2 - bend;
  const d = `M${from.x} ${from.y}Q${x} ${y - bend} ${to.x} ${to.y}`;
  return svg("g", {}, svg("path", { d, class: "rs-sam-edge" }), middle(x, y - 4, word));
}

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 */
const middle = (x, y, text) => svg("text", { x, y, "text-anchor": "middle", class: "rs-sam-text" }, text);

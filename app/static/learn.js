// The Learn page: one step of a lesson at a time, in its own size or a class's; an address names lesson, step and round.

import { fill, h } from "./dom.js";
import { loadPlotly } from "./figures.js";
import { settled } from "./first_sight.js";
import { Floating } from "./floating.js";
import { searchOf, spotOf } from "./learn_address.js";
import { numbersInLesson } from "./learn_here.js";
import { installLearnKeys } from "./learn_keys.js";
import { LessonList } from "./learn_list.js";
import { Progress } from "./learn_progress.js";
import { drawn } from "./learn_widgets.js";
import { onValue, place } from "./mount.js";

/** @import { Figure } from "./figures.js" */
/** @import { Host } from "./page.js" */
/** @import { Spot } from "./learn_address.js" */
/** @import { Drawn, LearnContext } from "./learn_widgets.js" */
/** @import { LearnOpening, LessonAnswer, LessonLine, LessonView, Piece } from "./types.js" */

/** @param {Host} host */
export function mount(host) {
  const element = h("div", { class: "rs-learn" });
  place(host).append(element);
  let begun = false;
  onValue(host, (/** @type {LearnOpening} */ { lessons }) => {
    if (begun) return;
    begun = true;
    new LearnPage(host, element, lessons).start();
  });
}

/** @param {Spot} spot with the path: the page's base is not where it is */
const addressOf = (spot) => location.pathname + searchOf(spot, location.search);

class LearnPage {
  spot = spotOf(location.search);
  progress = new Progress();
  floating = new Floating();
  /** @type {Map<string, Promise<LessonAnswer>>} */
  asked = new Map();
  /** @type {LessonView | null} */
  lesson = null;
  /** @type {Figure[]} */
  figures = [];
  /** @type {Drawn[]} */
  drawn = []; // the step's pieces

  /**
   * @param {Host} host
   * @param {HTMLElement} element
   * @param {LessonLine[]} lessons
   */
  constructor(host, element, lessons) {
    this.host = host;
    this.element = element;
    this.lessons = lessons.filter((line) => !line.wrong);
    this.list = new LessonList(
      lessons,
      this.progress,
      (name) => this.go({ lesson: name, step: 0, round: null }),
      (name) => addressOf({ ...this.spot, lesson: name, step: 0, round: null }),
    );
    this.title = h("h1");
    this.about = h("p", { class: "rs-learn-about" });
    this.steps = h("ol", { class: "rs-steps" });
    this.heading = h("h2", { tabindex: "-1", class: "rs-step-title" });
    this.body = h("div", { class: "rs-step-body" });
    this.back = this.turn("Back", -1);
    this.next = this.turn("Next", 1);
    this.next.classList.add("is-primary");
    this.size = h("button", { type: "button", class: "rs-quiet", "aria-pressed": "false", text: "Class size" });
    this.size.addEventListener("click", () => this.resize());
    this.link = h("button", { type: "button", class: "rs-quiet", text: "Copy link" });
    this.link.addEventListener("click", () => void this.copy());
    fill(element, this.list.element, this.build());
  }

  build() {
    const tools = h("span", { class: "rs-learn-tools" }, this.link, this.size);
    return h(
      "main",
      { class: "rs-learn-main" },
      h("header", { class: "rs-learn-head" }, h("div", {}, this.title, this.about), tools),
      h("nav", { "aria-label": "Steps" }, this.steps),
      h("article", { class: "rs-step" }, this.heading, this.body),
      h("footer", { class: "rs-learn-turns" }, this.back, this.next),
    );
  }

  /**
   * @param {string} text
   * @param {1 | -1} by
   */
  turn(text, by) {
    return h("button", { type: "button", class: "rs-button", text, on: { click: () => this.step(by) } });
  }

  start() {
    const known = this.lessons.some((line) => line.name === this.spot.lesson);
    if (!known) this.spot = { ...this.spot, lesson: this.firstOpen(), step: 0, round: null };
    installLearnKeys({ step: (by) => this.step(by), lesson: (by) => this.turnLesson(by), resize: () => this.resize() });
    addEventListener("popstate", () => {
      this.spot = spotOf(location.search);
      void this.show(false);
    });
    const themes = new MutationObserver(() => this.figures.forEach((figure) => figure.repaint()));
    themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    void this.show(false);
  }

  /** The first lesson that is not done, for who comes back. */
  firstOpen() {
    const open = this.lessons.find(({ name, steps }) => !this.progress.whole(name, steps.length));
    return (open ?? this.lessons[0])?.name ?? "";
  }

  /** @param {Partial<Spot>} spot where to, with an entry in the history */
  go(spot) {
    this.spot = { ...this.spot, ...spot };
    history.pushState(null, "", addressOf(this.spot));
    void this.show(true);
  }

  /** @param {number} by */
  step(by) {
    const to = this.spot.step + by;
    if (!this.lesson) return;
    if (to < 0 || to >= this.lesson.steps.length) this.turnLesson(by);
    else this.go({ step: to, round: null });
  }

  /** @param {number} by */
  turnLesson(by) {
    const at = this.lessons.findIndex((line) => line.name === this.spot.lesson) + by;
    if (this.lessons[at]) this.go({ lesson: this.lessons[at].name, step: 0, round: null });
  }

  resize() {
    this.spot = { ...this.spot, big: !this.spot.big };
    history.replaceState(null, "", addressOf(this.spot));
    void this.show(false);
  }

  async copy() {
    await navigator.clipboard.writeText(location.origin + addressOf(this.spot));
    this.link.textContent = "Copied";
    setTimeout(() => (this.link.textContent = "Copy link"), 1500);
  }

  /**
   * @param {string} name
   * @returns {Promise<LessonAnswer>} the lesson, asked for once
   */
  ask(name) {
    const before = this.asked.get(name);
    if (before) return before;
    const failed = { lesson: null, error: "The lesson did not arrive: check the connection and reload the page." };
    const asked = this.host.server
      ? this.host.server.lesson(name).then(
          (text) => JSON.parse(text),
          () => failed,
        )
      : Promise.resolve(failed);
    this.asked.set(name, asked);
    return asked;
  }

  /** @param {boolean} focus whether the reader moved here */
  async show(focus) {
    const { lesson: name } = this.spot;
    const { lesson, error } = await this.ask(name);
    if (this.spot.lesson !== name) return; // another one is wanted by now
    settled();
    this.lesson = lesson;
    this.element.classList.toggle("is-class", this.spot.big);
    this.size.setAttribute("aria-pressed", String(this.spot.big));
    if (!lesson) return this.say(error);
    this.spot.step = Math.min(this.spot.step, lesson.steps.length - 1);
    this.progress.see(name, this.spot.step);
    this.drawHead(lesson);
    this.drawStep(lesson);
    if (focus) this.heading.focus({ preventScroll: true });
    if (focus) scrollTo({ top: 0 });
    const after = this.lessons[this.lessons.findIndex((line) => line.name === name) + 1];
    if (after) void this.ask(after.name); // so that it opens at once
  }

  /** @param {string} error */
  say(error) {
    this.heading.textContent = "This lesson cannot be shown";
    fill(this.steps);
    fill(this.body, h("p", { class: "rs-form-message", role: "status", text: error }));
    this.list.draw(this.spot.lesson);
  }

  /** @param {LessonView} lesson */
  drawHead(lesson) {
    this.list.draw(lesson.name);
    const number = this.lessons.findIndex((line) => line.name === lesson.name) + 1;
    this.title.textContent = `${number}. ${lesson.title}`;
    this.about.textContent = `${lesson.about} About ${lesson.minutes} minutes.`;
    const { seen } = this.progress.of(lesson.name);
    fill(
      this.steps,
      lesson.steps.map(({ title }, i) => {
        const here = i === this.spot.step;
        const text = `${seen.includes(i) && !here ? "✓ " : ""}${title}`;
        const go = () => this.go({ step: i, round: null });
        return h("li", {}, h("button", { type: "button", "aria-current": here && "step", text, on: { click: go } }));
      }),
    );
    const last = this.spot.step === lesson.steps.length - 1;
    this.next.textContent = last ? "Next lesson" : "Next";
    this.next.disabled = last && number === this.lessons.length;
    this.back.disabled = this.spot.step === 0 && number === 1;
  }

  /** @param {LessonView} lesson */
  drawStep(lesson) {
    const step = lesson.steps[this.spot.step];
    this.heading.textContent = step.title;
    const made = step.pieces.map((piece, i) => drawn(piece, this.context(lesson, piece, i)));
    this.drawn = made;
    this.figures = made.flatMap(({ figures }) => figures ?? []);
    fill(
      this.body,
      made.map(({ element }) => element),
    );
  }

  /**
   * @param {LessonView} lesson
   * @param {Piece} piece
   * @param {number} i
   * @returns {LearnContext}
   */
  context(lesson, piece, i) {
    const { name } = lesson;
    const { step, round } = this.spot;
    const key = `${name}-${step}-${i}`;
    const place = `${step}.${i}`;
    return {
      key,
      round: piece.kind === "run" ? round : null,
      solved: this.progress.of(name).solved.includes(place),
      plotly: () => loadPlotly(this.host.plotly),
      runs: lesson.runs,
      floating: this.floating,
      look: (to) => {
        this.spot = { ...this.spot, round: to };
        history.replaceState(null, "", addressOf(this.spot));
      },
      here: (term) => numbersInLesson(this.drawn, lesson, term),
      solve: () => this.progress.solve(name, place),
      check: async (given) => {
        const answer = JSON.stringify({ lesson: name, step, piece: i, given });
        try {
          return JSON.parse((await this.host.server?.check(answer)) ?? "null");
        } catch {
          return { right: false, sentence: "The answer did not arrive: check the connection and try again." };
        }
      },
    };
  }
}

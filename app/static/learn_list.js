// The lessons there are, with how far this browser's reader has come in each.

import { fill, h } from "./dom.js";

/** @import { Progress } from "./learn_progress.js" */
/** @import { LessonLine } from "./types.js" */

export class LessonList {
  /**
   * @param {LessonLine[]} lessons
   * @param {Progress} progress
   * @param {(name: string) => void} open
   * @param {(name: string) => string} addressOf a lesson
   */
  constructor(lessons, progress, open, addressOf) {
    this.lessons = lessons;
    this.progress = progress;
    this.open = open;
    this.addressOf = addressOf;
    this.list = h("ol", { class: "rs-lessons" });
    this.element = h("nav", { class: "rs-learn-side", "aria-label": "Lessons" }, this.list);
  }

  /** @param {string} here the lesson that is open */
  draw(here) {
    fill(
      this.list,
      this.lessons.map((line) => h("li", {}, line.wrong ? wrong(line) : this.link(line, line.name === here))),
    );
  }

  /**
   * @param {LessonLine} line
   * @param {boolean} here
   */
  link({ name, title, minutes, about, steps }, here) {
    const whole = this.progress.whole(name, steps.length);
    const seen = this.progress.of(name).seen.length;
    const far = whole ? "✓ done" : seen ? `${Math.min(seen, steps.length)} of ${steps.length} steps` : `${minutes} min`;
    const link = h(
      "a",
      { href: this.addressOf(name), "aria-current": here && "page", title: about, "data-lesson": name },
      h("span", { class: "rs-lesson-title", text: title }),
      h("span", { class: "rs-lesson-far", text: far }),
    );
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.open(name);
    });
    return link;
  }
}

/** @param {LessonLine} line */
const wrong = ({ title, wrong: sentence }) =>
  h("p", { class: "rs-lesson-wrong" }, h("strong", { text: `${title}: ` }), sentence);

// How far this browser's reader has come. Nothing leaves the machine.

import { keep, kept } from "./keeping.js";

const NAME = "learn";

/** @typedef {{ seen: number[], solved: string[] }} Done steps that were open, tasks and questions that were solved */

export class Progress {
  /** @param {Storage} [place] */
  constructor(place) {
    this.place = place;
    /** @type {Record<string, Done>} */
    this.lessons = sound(kept(NAME, place && (() => place)));
  }

  /**
   * @param {string} lesson
   * @returns {Done}
   */
  of(lesson) {
    return this.lessons[lesson] ?? { seen: [], solved: [] };
  }

  /**
   * @param {string} lesson
   * @param {number} step
   */
  see(lesson, step) {
    const { seen, solved } = this.of(lesson);
    if (!seen.includes(step)) this.write(lesson, { seen: [...seen, step], solved });
  }

  /**
   * @param {string} lesson
   * @param {string} what a step and a piece
   */
  solve(lesson, what) {
    const { seen, solved } = this.of(lesson);
    if (!solved.includes(what)) this.write(lesson, { seen, solved: [...solved, what] });
  }

  /**
   * @param {string} lesson
   * @param {Done} done
   */
  write(lesson, done) {
    this.lessons = { ...this.lessons, [lesson]: done };
    const { place } = this;
    keep(NAME, this.lessons, place && (() => place));
  }

  /**
   * @param {string} lesson
   * @param {number} steps
   */
  whole(lesson, steps) {
    return steps > 0 && this.of(lesson).seen.filter((step) => step < steps).length === steps;
  }
}

/**
 * What was kept may be anybody's: only what has the right shape counts.
 *
 * @param {any} found
 * @returns {Record<string, Done>}
 */
function sound(found) {
  if (!found || typeof found !== "object" || Array.isArray(found)) return {};
  const entries = Object.entries(found).filter(([, done]) => Array.isArray(done?.seen) && Array.isArray(done?.solved));
  return Object.fromEntries(entries);
}

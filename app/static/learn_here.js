// The numbers of what a lesson shows, for its words: a widget's own of the step, else the lesson's run as a whole.

/** @import { LessonView, Reading } from "./types.js" */

/** @typedef {{ told?: (term: string) => string }} Telling a widget, which may say what it shows now */

/**
 * @param {readonly Telling[]} widgets of the step
 * @param {LessonView} lesson
 * @param {string} term its name
 * @returns {string} empty where there is nothing to say
 */
export function numbersInLesson(widgets, lesson, term) {
  for (const widget of widgets) {
    const found = widget.told?.(term);
    if (found) return found;
  }
  const run = lesson.steps.flatMap(({ pieces }) => pieces).find((piece) => piece.kind === "run");
  return run?.kind === "run" ? toldOfRun(run.readings, run.start, term) : "";
}

/**
 * @param {Reading[]} readings of a run's rounds
 * @param {number} round from 1
 * @param {string} term
 */
export function toldOfRun(readings, round, term) {
  const { sentence, metrics } = readings[round - 1];
  const tokens = readings.reduce((sum, reading) => sum + reading.metrics.tokens, 0);
  if (term.startsWith("tokens per")) return `${tokens} tokens ÷ ${readings.length} passes`;
  if (term === "draft tree") return `round ${round}: ${metrics.drafted} nodes, ${metrics.accepted} accepted`;
  return `round ${round}: ${sentence}`;
}

// The numbers of what a lesson shows, for its words: a widget's own of the step, else the lesson's run as a whole.

/** @import { LessonView, PlayerView } from "./types.js" */

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
  return run?.kind === "run" ? toldOfRun(run, run.start, term) : "";
}

/**
 * @param {PlayerView} run
 * @param {number} round from 1
 * @param {string} term
 */
export function toldOfRun({ tokens, readings }, round, term) {
  const { sentence, metrics } = readings[round - 1];
  if (term.startsWith("tokens per")) return `${tokens.length} tokens ÷ ${readings.length} passes`;
  if (term === "draft tree") return `round ${round}: ${metrics.drafted} nodes, ${metrics.accepted} accepted`;
  return `round ${round}: ${sentence}`;
}

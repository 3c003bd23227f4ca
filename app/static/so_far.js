// How a run does against plain decoding up to the round that is looked at.

/** @import { Outcome, RunHead, Step } from "./types.js" */

/** @typedef {{ value: number, unit: string, note: string }} SoFar */

/**
 * @param {{ run: RunHead | null, steps: Step[], round: number, outcome: Outcome | null }} store
 * @returns {SoFar | null} × plain where plain decoding was timed, else tokens a pass; null without a round
 */
export function soFar({ run, steps, round, outcome }) {
  const done = steps.slice(0, round + 1);
  if (!run || !done.length) return null;
  const tokens = done.reduce((sum, { commit }) => sum + commit.emitted_ids.length, 0);
  const spent = done.reduce((sum, step) => sum + Object.values(step.phase_ms).reduce((a, b) => a + b, 0), 0);
  const plain = run.reference_ar;
  if (!plain?.output_ids.length || !(plain.wall_s > 0) || !(spent > 0))
    return { value: tokens / done.length, unit: "tokens per pass", note: `${tokens} tokens in ${done.length} passes` };
  const all = round === steps.length - 1 && outcome?.speed;
  if (all) {
    const { ratio, repeats, silent } = all;
    const note = silent ? `whole run, median of ${repeats} repeats` : "whole run, timed once";
    return { value: ratio, unit: "× plain", note };
  }
  const value = (1000 * plain.wall_s * tokens) / plain.output_ids.length / spent;
  return { value, unit: "× plain", note: `${tokens} tokens so far, timed once` };
}

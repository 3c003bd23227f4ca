// A place in the line, in words.

/** @import { Standing } from "./types.js" */

/**
 * @param {Standing | null} standing
 * @returns {string}
 */
export function standingText(standing) {
  if (!standing) return "waiting for the engine …";
  const { ahead, seconds } = standing;
  if (!ahead) return "starting …";
  const expected = seconds === null ? "" : `, ${wait(seconds)} until it starts`;
  return `waiting: ${ahead} ${ahead === 1 ? "run" : "runs"} before yours${expected}`;
}

/** @param {number} seconds */
function wait(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  return whole < 100 ? `about ${whole} s` : `about ${Math.round(whole / 60)} min`;
}

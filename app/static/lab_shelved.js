// A replayed run on this browser's shelf, from where Live opens it.

import { shelf } from "./shelf_database.js";
import { PROMPT_BEGINS, rowOf } from "./shelf_store.js";

/** @import { RoundAnswer } from "./types.js" */

/**
 * @param {RoundAnswer} replayed
 * @param {number} at position that is looked at
 * @param {string} root the app's address
 * @returns {Promise<string>} where it opens
 * @throws {Error} one sentence, where it cannot be kept
 */
export async function shelve({ trace, title, setup, outcome, round }, at, root) {
  const row = rowOf(
    { ...trace, title },
    {
      kind: /** @type {const} */ ("opened"),
      name: `replayed: ${title}`,
      setup,
      prompt: trace.prompt_text.slice(0, PROMPT_BEGINS),
      tokens: trace.tokens.length,
      outcome,
      place: { round, token: null },
    },
  );
  await shelf.put(row, JSON.stringify(trace));
  return `${root}/?run=${trace.run_id}&round=${round + 1}&token=${at + 1}`;
}

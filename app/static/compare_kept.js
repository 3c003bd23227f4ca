// A comparison outlives a reload and a step back: the last few are kept with their addresses.

import { keep, kept } from "./keeping.js";
import { shelf } from "./shelf_database.js";
import { madeNow, PROMPT_BEGINS, rowOf } from "./shelf_store.js";

/** @import { ComparePacket, MadeMessage, TimedMessage } from "./types.js" */

/** @typedef {{ address: string, packet: ComparePacket }} Entry */

const NAME = "compare";
const MOST = 4;

/**
 * What an address asks for, without what of it is looked at.
 *
 * @param {string} search
 */
export function asked(search) {
  const query = new URLSearchParams(search);
  for (const look of ["position", "__theme"]) query.delete(look);
  return String(query);
}

/** @returns {Entry[]} */
const entries = () => kept(NAME) ?? [];

/**
 * @param {string} search
 * @param {ComparePacket} packet the oldest give way to it where there is no room
 */
export function keepComparison(search, packet) {
  const address = asked(search);
  const all = [{ address, packet }, ...entries().filter((entry) => entry.address !== address)];
  for (let n = Math.min(MOST, all.length); n > 0; n -= 1) if (keep(NAME, all.slice(0, n))) return;
}

/**
 * @param {string} search
 * @returns {ComparePacket | null} what was shown at this address before
 */
export function keptComparison(search) {
  return entries().find((entry) => entry.address === asked(search))?.packet ?? null;
}

/**
 * The runs of a comparison go to the shelf, and what silent repeats made of them.
 *
 * @param {MadeMessage[]} made
 * @param {TimedMessage[]} timed
 * @param {string} prompt
 * @throws {Error} one sentence, where one cannot be kept
 */
export async function keepRuns(made, timed, prompt) {
  for (const { trace, title, setup, outcome } of made) {
    const about = { kind: /** @type {const} */ ("run"), name: madeNow(), setup, outcome };
    const row = { ...about, prompt: prompt.slice(0, PROMPT_BEGINS), asked: prompt, tokens: trace.tokens.length };
    await shelf.put(rowOf({ ...trace, title }, row), JSON.stringify(trace));
  }
  for (const { run, speed } of timed) await shelf.time(run, speed);
}

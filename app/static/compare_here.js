// The numbers of what is looked at in Compare, for the words of the glossary: every run at the chosen position.

import { roundAt } from "./compare_store.js";
import { visible } from "./signs.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { Lane, LaneRound } from "./types.js" */

/** @type {Record<string, (lane: Lane, position: number) => string>} */
const OF_LANE = {
  race: ({ tokens, total_ms }) => `${tokens.length} tokens in ${(total_ms / 1000).toFixed(2)} s`,
  numbers: ({ tokens, rounds }) => `${tokens.length} tokens ÷ ${rounds.length} passes`,
  texts: (lane, position) => {
    const token = lane.tokens[position];
    return token ? `‘${visible(token.piece)}’, p ${token.p.toFixed(2)}` : "ended";
  },
  strips: (lane, position) =>
    ofRound(lane, position, ({ start, end, start_ms, end_ms }, i) => {
      return `round ${i + 1} wrote ${end - start} in ${(end_ms - start_ms).toFixed(1)} ms`;
    }),
  trees: (lane, position) =>
    ofRound(lane, position, ({ drafted, accepted }, i) => `round ${i + 1} drafted ${drafted}, ${accepted} accepted`),
};

/**
 * @param {CompareStore} store
 * @param {string} panel its id
 * @returns {string} empty where there is nothing to say
 */
export function comparedHere({ comparison, position }, panel) {
  const own = OF_LANE[panel];
  if (!own || !comparison) return "";
  const told = comparison.lanes.map((lane) => `${lane.letter} ${own(lane, position)}`).join("; ");
  return panel === "race" || panel === "numbers" ? told : `position ${position}: ${told}`;
}

/**
 * @param {Lane} lane
 * @param {number} position
 * @param {(round: LaneRound, i: number) => string} tell
 */
function ofRound(lane, position, tell) {
  const i = roundAt(lane, position);
  return i < 0 ? "ended" : tell(lane.rounds[i], i);
}

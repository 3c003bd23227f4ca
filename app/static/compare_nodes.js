// Which output position a node of a round's draft tree speaks of, and the other way round.

import { COMMITTED } from "./tree_layout.js";

/** @import { LaneRound, TreeView } from "./types.js" */

/**
 * @param {TreeView} tree
 * @param {number} id
 * @returns {number} levels below the root
 */
export function depthOf({ marks }, id) {
  let depth = 0;
  for (let mark = marks.find((one) => one.id === id); mark && mark.parent >= 0; mark = marks[mark.parent]) depth += 1;
  return depth;
}

/**
 * @param {TreeView} tree
 * @param {LaneRound} round
 * @param {number} id
 * @returns {number | null} none where the round did not write what the node proposes a token for
 */
export function positionOf(tree, round, id) {
  const position = round.start + depthOf(tree, id) - 1;
  return position >= round.start && position < round.end ? position : null;
}

/**
 * @param {TreeView} tree
 * @param {LaneRound} round
 * @param {number} position
 * @returns {number | null} the node that became the token there
 */
export function nodeAt(tree, round, position) {
  const committed = tree.marks.filter(({ look, parent }) => parent >= 0 && COMMITTED.has(look));
  return committed[position - round.start]?.id ?? null;
}

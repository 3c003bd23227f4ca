// Nodes of a round's tree and output positions.

import assert from "node:assert/strict";
import { test } from "node:test";

import { depthOf, nodeAt, positionOf } from "../../app/static/compare_nodes.js";

const mark = (id, parent, look) => ({ id, parent, look, text: "", source: "model" });
// two accepted tokens, the target's own, and a branch that was rejected
const tree = {
  marks: [
    mark(0, -1, "root"),
    mark(1, 0, "strict_accept"),
    mark(2, 0, "rejected"),
    mark(3, 1, "relaxed_accept"),
    mark(4, 3, "rejected"),
    mark(5, 4, "unreached"),
    mark(-1, 3, "correction"),
  ],
};
const round = { start: 10, end: 13 };

test("a committed node and the token that it became name each other", () => {
  assert.deepEqual(
    [10, 11, 12].map((position) => nodeAt(tree, round, position)),
    [1, 3, -1],
  );
  for (const position of [10, 11, 12]) assert.equal(positionOf(tree, round, nodeAt(tree, round, position)), position);
});

test("a guess belongs to the position that it was made for, if the round wrote that far", () => {
  assert.deepEqual(
    [2, 4, 5].map((id) => positionOf(tree, round, id)),
    [10, 12, null],
  );
  assert.equal(positionOf(tree, round, 0), null);
  assert.equal(nodeAt(tree, round, 13), null);
  assert.equal(depthOf(tree, 5), 4);
});

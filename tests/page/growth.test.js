// The drafter's tree in its order of growth, and why nodes were left out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { grownIn, grownTree, growthOrder, whyLeft } from "../../app/static/growth.js";

const node = (id, parent, token, more = {}) => ({
  id,
  parent,
  token,
  text: `t${token}`,
  sources: ["model"],
  kept: true,
  hit_ids: [],
  ...more,
});
const drafter = [
  node(0, -1, 1),
  node(1, 0, 10, { path_score: 0.6 }),
  node(2, 0, 20, { path_score: 0.01, kept: false, pruned_by: "rerank" }),
  node(3, 1, 30, { path_score: 0.3 }),
  node(4, 1, 40, { path_score: 0.2, kept: false, pruned_by: "budget" }),
];
const step = (more = {}) => ({
  decision: { sizing: null },
  retrieval: [],
  trees: {
    drafter,
    final: [
      node(0, -1, 1),
      node(1, 0, 99),
      node(2, 0, 10, { outcome: "strict_accept" }),
      node(3, 2, 30, { outcome: "unreached" }),
    ],
  },
  ...more,
});

test("nodes of the verified tree know when they grew", () => {
  assert.deepEqual(
    [...growthOrder(step())],
    [
      [0, 0],
      [2, 1],
      [3, 3],
    ],
  ); // the copied node grew in no drafter
  assert.deepEqual(grownIn({ trees: { drafter: null } }), []);
});

test("the tree as it grew has numbers, outcomes and what was left out", () => {
  const { marks, alt } = grownTree(step());
  assert.deepEqual(
    marks.map(({ look }) => look),
    ["root", "strict_accept", "pruned", "sent", "pruned"],
  );
  assert.deepEqual(
    marks.map(({ text }) => text),
    ["t1", "1 t10", "2 t20", "3 t30", "4 t40"],
  );
  assert.match(alt, /4 nodes, 2 of them not sent/);
});

test("every reason has its numbers", () => {
  assert.equal(whyLeft(step(), "drafter", drafter[1]), "");
  assert.match(
    whyLeft(step(), "drafter", drafter[2]),
    /path score 0\.0100 is not above the weakest that was kept, 0\.2000/,
  );
  assert.match(whyLeft(step(), "drafter", drafter[4]), /no room.*draft of 3/);
  const sized = step({ decision: { sizing: { kept: 2, proposed: 5 } } });
  assert.match(whyLeft(sized, "drafter", drafter[4]), /the best 2 of 5 nodes were sent/);
  const idle = step({ decision: { sizing: { kept: 0, proposed: 5 } } });
  assert.match(whyLeft(idle, "drafter", drafter[4]), /none of 5 nodes was expected to pay/);
  const copied = node(5, 0, 3, { kept: false, pruned_by: "topk_first", hit_ids: [4] });
  assert.match(whyLeft(step(), "retrieval", copied), /not among the drafter's best/);
  assert.equal(whyLeft(step({ retrieval: [{ id: 4, why: "rank 37 > 10" }] }), "retrieval", copied), "rank 37 > 10");
});

// What is picked in a panel, in all the others: tokens, nodes, guesses, candidates, windows, rounds.

import assert from "node:assert/strict";
import { test } from "node:test";

import { chosenToken, nodeOf, OWN, selected, shows, tokensOf } from "../../app/static/picks.js";

const node = (id, parent, depth, token, more = {}) => ({ id, parent, depth, token, hit_ids: [], ...more });

/** Two rounds: three tokens, of which the last is the target's own; then two, behind a rejected guess. */
const held = () => ({
  starts: [0, 3],
  tokens: [0, 0, 0, 1].map((round, i) => ({ id: 10 + i, round })),
  selection: null,
  steps: [
    {
      i: 0,
      trees: {
        final: [
          node(0, -1, 0, 1),
          node(1, 0, 1, 10, { hit_ids: [7] }),
          node(2, 0, 1, 99),
          node(3, 1, 2, 11),
          node(4, 3, 3, 50),
        ],
        drafter: [node(0, -1, 0, 1), node(1, 0, 1, 10), node(2, 1, 2, 11), node(3, 1, 2, 44)],
      },
      retrieval: [{ id: 7 }, { id: 8 }],
      commit: { path_node_ids: [1, 3], emitted_ids: [10, 11, 12] },
    },
    {
      i: 1,
      trees: { final: [node(0, -1, 0, 12), node(1, 0, 1, 77), node(2, 1, 2, 78)] },
      retrieval: [],
      commit: { path_node_ids: [], emitted_ids: [13] },
    },
  ],
});

test("a token and the node it was are the same selection, from either side", () => {
  const run = held();
  const token = selected(run, { token: 1 });
  assert.deepEqual(token, { round: 0, token: 1, node: 3 });
  assert.deepEqual(selected(run, { round: 0, node: 3 }), token);
  assert.deepEqual(selected(run, { round: 0, node: OWN }), selected(run, { token: 2 }));
  assert.equal(nodeOf(run, token).token, 11);
  assert.equal(nodeOf(run, selected(run, { token: 2 })), null);
});

test("a rejected node marks what was written in its place, one behind it nothing", () => {
  const run = held();
  const rejected = selected(run, { round: 1, node: 1 });
  assert.deepEqual(rejected, { round: 1, token: 3, node: 1 });
  assert.equal(shows(run, { token: 3 }, rejected), true);
  assert.equal(shows(run, { round: 1, node: OWN }, rejected), false);
  assert.deepEqual(tokensOf(run, selected(run, { round: 1, node: 2 })), [0, 0]);
});

test("a drafter's node is the one that was sent, or what was left out", () => {
  const run = held();
  assert.deepEqual(selected(run, { round: 0, node: 2, tree: "drafter" }), selected(run, { token: 1 }));
  const left = selected(run, { round: 0, node: 3, tree: "drafter" });
  assert.deepEqual(left, { round: 0, token: 1, node: null, left: ["drafter", 3] });
  assert.equal(shows(run, { round: 0, node: 3, tree: "drafter" }, left), true);
  assert.equal(shows(run, { round: 0, node: 2, tree: "drafter" }, left), false);
  assert.equal(shows(run, { round: 0, node: 2, tree: "drafter" }, selected(run, { token: 1 })), true);
});

test("a lattice's cell is the node that it became, or a guess of its own", () => {
  const run = held();
  assert.deepEqual(selected(run, { round: 0, guess: [1, 10] }), selected(run, { token: 0 }));
  const guess = selected(run, { round: 0, guess: [2, 60] });
  assert.deepEqual(guess, { round: 0, token: 1, node: null, guess: [2, 60] });
  assert.equal(shows(run, { round: 0, guess: [2, 60] }, guess), true);
  assert.equal(shows(run, { round: 0, guess: [2, 11] }, guess), false);
  assert.equal(shows(run, { round: 0, guess: [1, 10] }, selected(run, { token: 0 })), true);
});

test("a candidate is where it was copied to; one of which nothing was sent stands alone", () => {
  const run = held();
  const copied = selected(run, { round: 0, hit: 7 });
  assert.deepEqual(copied, { round: 0, token: 0, node: 1, hit: 7 });
  assert.equal(shows(run, { round: 0, node: 1 }, copied), true);
  assert.equal(shows(run, { round: 0, hit: 7 }, selected(run, { token: 0 })), true);
  const unsent = selected(run, { round: 0, hit: 8 });
  assert.equal(unsent.node, null);
  assert.deepEqual(
    [7, 8].map((hit) => shows(run, { round: 0, hit }, unsent)),
    [false, true],
  );
  assert.equal(selected(run, { round: 1, hit: 7 }), null);
});

test("a window's bar is a token before the round, and the round stays", () => {
  const run = held();
  const bar = selected(run, { round: 1, back: 2 });
  assert.deepEqual(bar, { round: 1, token: 1, node: null });
  assert.equal(shows(run, { token: 1 }, bar), true);
  assert.equal(shows(run, { round: 1, back: 2 }, bar), true);
  assert.equal(shows(run, { round: 1, back: 3 }, bar), false);
  assert.equal(selected(run, { round: 0, back: 1 }), null);
  run.selection = bar;
  assert.equal(chosenToken(run), null); // of another round: no link to this view names it
  run.selection = selected(run, { token: 3 });
  assert.equal(chosenToken(run), 3);
});

test("a round is all of its tokens and none of its nodes", () => {
  const run = held();
  const round = selected(run, { round: 0 });
  assert.deepEqual(
    [0, 1, 2, 3].map((token) => shows(run, { token }, round)),
    [true, true, true, false],
  );
  assert.equal(shows(run, { round: 0, node: 1 }, round), false);
  assert.equal(shows(run, { round: 0 }, selected(run, { token: 1 })), true);
  assert.equal(selected(run, { round: 5 }), null);
  assert.equal(shows(run, { token: 0 }, null), false);
});

import assert from "node:assert/strict";
import test from "node:test";

import { narrated, tellingRounds } from "../../app/static/telling.js";

/**
 * @param {Array<{ outcome?: string, sources?: string[], accepted?: boolean }>} drafted
 * @param {object} [commit]
 */
function step(drafted, commit = {}) {
  const final = [{ id: 0, sources: [] }, ...drafted.map((node, i) => ({ id: i + 1, sources: ["model"], ...node }))];
  const path = final.filter((node) => "accepted" in node && node.accepted).map(({ id }) => id);
  const own = { path_node_ids: path, n_accepted: path.length, n_relaxed: 0, extra: { kind: "correction" } };
  return /** @type {any} */ ({ trees: { final }, commit: { ...own, ...commit } });
}

const copied = { sources: ["dynamic"], accepted: true };

test("a presenter stops at the first rejection, the longest copy and the first relaxed token", () => {
  const steps = [
    step([]),
    step([copied]),
    step([{ outcome: "rejected" }]),
    step([copied, copied, { sources: ["dynamic"] }]),
    step([{ outcome: "rejected" }], { n_relaxed: 1 }),
  ];
  assert.deepEqual(
    [...tellingRounds(steps)],
    [
      [2, "The first rejection"],
      [3, "The longest copy: 2 tokens"],
      [4, "The first token that is not the target's own"],
    ],
  );
});

test("plain rounds have nothing to stop at", () => {
  assert.equal(tellingRounds([step([]), step([])]).size, 0);
  assert.equal(tellingRounds([]).size, 0);
});

test("a round is told in a sentence or two", () => {
  assert.equal(narrated(step([])), "Nothing is drafted: the target writes one token alone.");
  assert.equal(
    narrated(step([copied, copied, {}], { extra: { kind: "bonus" } })),
    "3 tokens are guessed, the target accepts 2. The target adds one of its own: a bonus.",
  );
  assert.equal(narrated(step([{}], { extra: null })), "One token is guessed, the target accepts none.");
  assert.match(narrated(step([copied], { n_relaxed: 1 })), /accepts 1, 1 of them although it wanted others/);
});

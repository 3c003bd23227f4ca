// What Compare keeps: one position and one moment for all, streams, and what belongs to an earlier comparison.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CompareStore, pointsOf, roundAt, tokensBy } from "../../app/static/compare_store.js";

const rounds = (...ends) =>
  ends.map((end, i) => ({ start: ends[i - 1] ?? 0, end, start_ms: 10 * i, end_ms: 10 * (i + 1) }));
const lane = (id, ends, parting = null) => ({
  ...{ run_id: id, letter: "A", parting, total_ms: 10 * ends.length },
  ...{ rounds: rounds(...ends), tokens: Array(ends.at(-1)).fill({}) },
});
const message = (...lanes) => ({ kind: "comparison", comparison: { lanes }, trees: [], final: true, title: "" });
const shown = (...lanes) => {
  const store = new CompareStore();
  store.receive({ stream: "s", seq: 0, messages: [message(...lanes)] });
  return store;
};

test("a position belongs to one round of each lane, behind its end to none", () => {
  const found = lane("a", [3, 4, 9]);
  assert.deepEqual(
    [0, 2, 3, 4, 8, 9].map((p) => roundAt(found, p)),
    [0, 0, 1, 2, 2, -1],
  );
  assert.deepEqual(pointsOf(found), [
    [0, 0],
    [10, 3],
    [20, 4],
    [30, 9],
  ]);
});

test("at a moment as many tokens are there as rounds that are over wrote", () => {
  const found = lane("a", [3, 4, 9]);
  assert.deepEqual(
    [0, 9.9, 10, 25, 30, null].map((ms) => tokensBy(found, ms)),
    [0, 0, 3, 4, 9, 9],
  );
});

test("a comparison opens at its first difference and its end", () => {
  const store = shown(lane("a", [3, 9]), lane("b", [5], { position: 4 }), lane("c", [6], { position: 2 }));
  assert.deepEqual([store.position, store.positions, store.longest, store.time], [2, 9, 20, null]);
});

test("hovering goes before what is pinned, and positions stay inside", () => {
  const store = shown(lane("a", [4]), lane("b", [6]));
  store.pin(99);
  assert.equal(store.position, 5);
  store.hover(1);
  assert.equal(store.position, 1);
  store.hover(null);
  assert.equal(store.position, 5);
});

test("repeats of the same runs keep what is looked at; other runs do not", () => {
  const store = shown(lane("a", [4]), lane("b", [6]));
  store.pin(3);
  store.seek(5);
  store.receive({ stream: "s", seq: 1, messages: [message(lane("a", [4]), lane("b", [6]))] });
  assert.deepEqual([store.position, store.time], [3, 5]);
  store.receive({ stream: "s", seq: 2, messages: [message(lane("a", [4]), lane("c", [6]))] });
  assert.deepEqual([store.position, store.time], [0, null]);
});

test("while our own is awaited the earlier picture is gone and other streams are stale", () => {
  const store = shown(lane("a", [4]), lane("b", [6]));
  store.expect("mine");
  assert.deepEqual([store.comparison, store.state], [null, "waiting"]);
  store.receive({ stream: "s", seq: 1, messages: [message(lane("a", [4]), lane("b", [6]))] });
  assert.equal(store.comparison, null);
  const growing = {
    kind: "lane",
    lane: 0,
    lanes: 2,
    title: "SAM",
    points: [
      [0, 0],
      [5, 2],
    ],
    most: 9,
  };
  store.receive({ stream: "mine", seq: 0, messages: [growing, { ...growing, points: [[7, 4]] }] });
  assert.deepEqual(
    [store.state, store.live[0].points.length, store.progress],
    ["running", 3, "1 of 2: SAM, 4 of at most 9 tokens"],
  );
  store.lose();
  assert.match(store.error, /lost after round 2 of run 1, SAM/);
  assert.deepEqual([store.state, store.lost, store.live[0].points.length], ["idle", true, 3]);
  store.expect("again");
  assert.deepEqual([store.error, store.lost, store.live], ["", false, []]);
});

test("a comparison that was refused or given up is over", () => {
  const store = new CompareStore();
  store.expect("mine");
  store.giveUp("too many");
  store.receive({ stream: "mine", seq: 0, messages: [message(lane("a", [4]), lane("b", [6]))] });
  assert.deepEqual([store.state, store.error, store.comparison], ["idle", "too many", null]);
});

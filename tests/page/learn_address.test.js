import assert from "node:assert/strict";
import test from "node:test";

import { searchOf, spotOf } from "../../app/static/learn_address.js";

test("an address names lesson, step, round and size, and is read as it was written", () => {
  const spot = { lesson: "trees", step: 2, round: 7, big: true };
  assert.equal(searchOf(spot), "?lesson=trees&step=3&round=7&view=class");
  assert.deepEqual(spotOf(searchOf(spot)), spot);
});

test("what is usual is left out, other wishes stay", () => {
  const first = { lesson: "cost", step: 0, round: null, big: false };
  assert.equal(searchOf(first, "?__theme=dark&step=4"), "?__theme=dark&lesson=cost");
  assert.deepEqual(spotOf("?lesson=cost"), first);
});

test("an odd address is the first step", () => {
  for (const search of ["?step=-3&round=x", "?step=1e99&round=0", "?step=2.5"])
    assert.deepEqual(spotOf(search), { lesson: "", step: 0, round: null, big: false });
});

// The part of a long run that a figure shows.

import assert from "node:assert/strict";
import { test } from "node:test";

import { holding, within } from "../../app/static/overview.js";

test("a window stays inside the run, and keeps its width where there is room", () => {
  assert.deepEqual(within([-20, 30], 100), [0, 50]);
  assert.deepEqual(within([80, 130], 100), [50, 100]);
  assert.deepEqual(within([10, 60], 100), [10, 60]);
  assert.deepEqual(within([-5, 400], 100), [0, 100]);
});

test("what is looked at is in the window, which moves only if it must", () => {
  assert.deepEqual(holding([0, 40], [10, 12], 100), [0, 40]);
  assert.deepEqual(holding([0, 40], [60, 62], 100), [50, 90]);
  assert.deepEqual(holding([50, 90], [3, 5], 100), [0, 40]);
  assert.deepEqual(holding([0, 40], [98, 100], 100), [60, 100]);
});

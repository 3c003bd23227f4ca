import assert from "node:assert/strict";
import test from "node:test";

import { soFar } from "../../app/static/so_far.js";

const round = (/** @type {number} */ tokens, /** @type {number} */ ms) => ({
  commit: { emitted_ids: Array(tokens).fill(1) },
  phase_ms: { verify: ms - 1, commit: 1 },
});
const steps = /** @type {any} */ ([round(1, 100), round(5, 100)]);
const plain = { output_ids: Array(6).fill(1), wall_s: 0.6 }; // 100 ms a token
const timed = /** @type {any} */ ({ speed: { ratio: 2.5, repeats: 3, silent: true } });
const run = /** @type {any} */ ({ reference_ar: plain });

test("up to a round it is plain decoding's time for these tokens over the run's", () => {
  assert.equal(soFar({ run, steps, round: 0, outcome: timed })?.value, 1);
  assert.equal(soFar({ run, steps, round: 1, outcome: null })?.value, 3);
});

test("the whole run has the figure that all panels have", () => {
  const found = soFar({ run, steps, round: 1, outcome: timed });
  assert.deepEqual(found, { value: 2.5, unit: "× plain", note: "whole run, median of 3 repeats" });
});

test("without plain decoding it is tokens a pass, and without a round nothing", () => {
  const bare = /** @type {any} */ ({ reference_ar: null });
  assert.deepEqual(soFar({ run: bare, steps, round: 1, outcome: null }), {
    value: 3,
    unit: "tokens per pass",
    note: "6 tokens in 2 passes",
  });
  assert.equal(soFar({ run: bare, steps: [], round: 0, outcome: null }), null);
  assert.equal(soFar({ run: null, steps, round: 0, outcome: null }), null);
});

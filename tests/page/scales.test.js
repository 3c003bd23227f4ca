// Colours for numbers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { COLORSCALE, entropyColor, ENTROPY_DOMAIN, percent } from "../../app/static/scales.js";

test("entropy runs from dark to light over its domain and stays at its ends beyond", () => {
  assert.equal(entropyColor(ENTROPY_DOMAIN[0]), "rgb(0, 34, 78)");
  assert.equal(entropyColor(ENTROPY_DOMAIN[1]), "rgb(254, 232, 56)");
  assert.equal(entropyColor(99), entropyColor(ENTROPY_DOMAIN[1]));
  assert.equal(entropyColor(-1), entropyColor(0));
  assert.deepEqual([COLORSCALE[0][0], COLORSCALE.at(-1)[0]], [0, 1]);
});

test("a share is never rounded to what it is not", () => {
  const shares = [0, 0.0004, 0.001, 0.0994, 0.0996, 0.5, 0.9994, 0.9999, 1];
  const said = ["0 %", "< 0.1 %", "0.1 %", "9.9 %", "10 %", "50 %", "99.9 %", "> 99.9 %", "100 %"];
  assert.deepEqual(shares.map(percent), said);
});

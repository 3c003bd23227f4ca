// The part of a figure that is drawn: what is shown of it, and what may be dragged into sight.

import assert from "node:assert/strict";
import test from "node:test";

import { holds, partOf, widened } from "../../app/static/part.js";

const counting = (n) => [...Array(n).keys()];

test("a part has its points, one before and one behind, in every list of a trace", () => {
  const figure = { data: [{ type: "bar", x: counting(100), y: counting(100), marker: { size: 3 } }] };
  const [trace] = partOf(figure, [40, 43]);
  assert.deepEqual(trace, { type: "bar", x: [39, 40, 41, 42, 43], y: [39, 40, 41, 42, 43], marker: { size: 3 } });
  assert.equal(partOf(figure, null), figure.data);
  assert.equal(figure.data[0].x.length, 100);
});

test("bars that lie are placed by where they begin; a long one that began before is there", () => {
  const plain = { x: [5000], base: [0], y: [-5] };
  const lane = { x: [9, 9, 9], base: [0, 10, 20], y: [0, 0, 0] };
  const [first, second] = partOf({ data: [lane, plain] }, [15, 16]);
  assert.deepEqual(first.base, [10, 20]);
  assert.deepEqual(second, plain);
});

test("what is dragged a window further is there already, all is not", () => {
  const part = widened([100, 200]);
  assert.deepEqual(part, [0, 300]);
  assert.ok(holds(part, [150, 250]) && holds(null, null) && holds(null, [1, 2]));
  assert.ok(!holds(part, [250, 350]) && !holds(part, null));
});

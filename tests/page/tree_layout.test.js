// Where the nodes of a draft tree go: what was committed on top, what was never judged counted until it is opened.

import assert from "node:assert/strict";
import { test } from "node:test";

import { layoutOf, sightOf, tellingNode } from "../../app/static/tree_layout.js";

/** @param {Array<[id: number, parent: number, look: string]>} nodes */
const tree = (nodes) => ({
  marks: nodes.map(([id, parent, look]) => ({ id, parent, look, text: `t${id}`, source: "model" })),
  more: 0,
  alt: "",
});

const JUDGED = tree([
  [0, -1, "root"],
  [1, 0, "rejected"],
  [2, 0, "strict_accept"],
  [3, 1, "unreached"],
  [4, 3, "unreached"],
  [5, 2, "rejected"],
  [6, 2, "unreached"],
  [-1, 2, "correction"],
]);

const places = ({ nodes }) => Object.fromEntries(nodes.map(({ mark, column, row }) => [mark.id, [column, row]]));

test("what was committed is the top row, in order", () => {
  const at = places(layoutOf(JUDGED, new Set(), 99));
  assert.deepEqual(
    [at[0], at[2], at[-1]],
    [
      [0, 0],
      [1, 0],
      [2, 0],
    ],
  );
  assert.deepEqual(
    [at[5], at[1]],
    [
      [2, 1],
      [1, 2],
    ],
  );
});

test("branches that were never judged are counted until they are opened", () => {
  const closed = layoutOf(JUDGED, new Set(), 99);
  const hidden = Object.fromEntries(closed.nodes.map((node) => [node.mark.id, node.hidden]));
  assert.deepEqual(hidden, { 0: 0, 1: 2, 2: 1, 5: 0, "-1": 0 });
  const open = layoutOf(JUDGED, new Set([1]), 99);
  assert.deepEqual(places(open)[4], [3, 2]);
  assert.equal(open.nodes.find((node) => node.mark.id === 1)?.hidden, 0);
});

test("a single row wraps like text, others do not", () => {
  const chain = tree(Array.from({ length: 10 }, (_, i) => [i, i - 1, i ? "pending" : "root"]));
  const { rows, columns, nodes } = layoutOf(chain, new Set(), 4);
  assert.deepEqual([rows, columns, places({ nodes })[5]], [3, 4, [1, 1]]);
  assert.equal(layoutOf(JUDGED, new Set(), 2).columns, 3);
});

test("no two of 400 nodes share a place, and the deepest tree does not fill the stack", () => {
  const random = (n) => (n * 7919) % 104729;
  const nodes = Array.from({ length: 400 }, (_, i) => [i, i ? random(i) % i : -1, i ? "pending" : "root"]);
  const at = Object.values(places(layoutOf(tree(nodes), new Set(), 99))).map(String);
  assert.equal(new Set(at).size, 400);
  const deep = Array.from({ length: 5000 }, (_, i) => [i, i - 1, i ? "pending" : "root"]);
  assert.equal(layoutOf(tree([...deep, [5000, 0, "pending"]]), new Set(), 99).columns, 5000);
});

test("of a drawing wider than its place the end of the commit is seen, and no more is scrolled than must be", () => {
  const chain = tree([
    [0, -1, "root"],
    [1, 0, "strict_accept"],
    [2, 1, "correction"],
    [3, 1, "rejected"],
  ]);
  const { nodes } = layoutOf(chain, new Set(), 99);
  const telling = tellingNode(nodes);
  assert.equal(telling.mark.id, 2);
  assert.equal(tellingNode(nodes.slice(0, 1)).mark.id, 0);
  const grid = { x: [36, 400, 800, 1200], y: [28, 51], step: 400, right: 96, width: 1300, height: 70 };
  const place = { scrollLeft: 0, scrollTop: 0, clientWidth: 500, clientHeight: 100 };
  const { left } = sightOf(telling, grid, place);
  assert.ok(left > 0 && grid.x[2] - left >= 0 && grid.x[2] - left < 500);
  assert.deepEqual(sightOf(telling, grid, { ...place, scrollLeft: left + 20 }), { left: left + 20, top: 0 });
  assert.deepEqual(sightOf(nodes[0], grid, { ...place, scrollLeft: 900 }), { left: 0, top: 0 });
});

// Where the nodes of a draft tree go. What was committed is the top row, from left to right; every other branch starts
// a row of its own below. Branches that the target never judged are counted instead, until they are opened.

/** @import { TreeMark, TreeView } from "./types.js" */

/**
 * A node that is shown: its column and row, the one it hangs on, how many below it are not shown.
 *
 * @typedef {{ mark: TreeMark, column: number, row: number, parent: Placed | null, inner: boolean, hidden: number,
 *   opened: boolean }} Placed
 */

/** @typedef {{ nodes: Placed[], columns: number, rows: number }} Layout nodes from the top, a branch at a time */

/** @typedef {{ x: number[], y: number[], step: number, right: number, width: number, height: number }} Grid in pixels */

const LEFT = 36, // half a label above the first node
  RIGHT = 96, // the least room for what is written behind the last node
  TOP = 28,
  LEAST = 44,
  MOST = 74, // pixels a column
  HIGH = 36,
  LOW = 23; // pixels of a row with labels above its nodes, and of one without

export const LETTER = 7.3; // pixels

const SIGNS = /** @type {Record<string, string>} */ ({
  rejected: "✗ ",
  relaxed_accept: "≈ ",
  fly_accept: "≈ ",
  correction: "↻ ",
  bonus: "+ ",
});

/** @param {TreeMark} mark */
export const labelOf = ({ look, text }) => `${SIGNS[look] ?? ""}${text}`;

export const COMMITTED = new Set(["strict_accept", "relaxed_accept", "fly_accept", "correction", "bonus", "plain"]);

/**
 * @param {TreeView} tree
 * @param {Set<number>} opened ids of the nodes below which all is shown
 * @param {number} most columns, where a single row wraps like text
 * @returns {Layout}
 */
export function layoutOf({ marks }, opened, most) {
  const kids = childrenOf(marks);
  const sizes = sizesOf(marks);
  /** @type {Placed[]} */
  const nodes = [];
  let rows = 1;
  /** @type {Array<{ index: number, parent: Placed | null, first: boolean, all: boolean }>} */
  const stack = [{ index: 0, parent: null, first: true, all: false }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { index, parent, first } = next;
    const mark = marks[index];
    const all = next.all || opened.has(mark.id);
    const shown = kids[index].filter((kid) => all || marks[kid].look !== "unreached");
    const hidden = kids[index].reduce((sum, kid) => sum + (shown.includes(kid) ? 0 : sizes[kid]), 0);
    const row = first && parent ? parent.row : parent ? rows++ : 0;
    const column = parent ? parent.column + 1 : 0;
    const placed = { mark, column, row, parent, inner: shown.length > 0, hidden, opened: opened.has(mark.id) };
    nodes.push(placed);
    for (let i = shown.length - 1; i >= 0; i--) stack.push({ index: shown[i], parent: placed, first: i === 0, all });
  }
  if (rows === 1)
    for (const node of nodes) [node.row, node.column] = [Math.floor(node.column / most), node.column % most];
  const last = (/** @type {number[]} */ at) => at.reduce((a, b) => Math.max(a, b), 0) + 1;
  return { nodes, columns: last(nodes.map((node) => node.column)), rows: last(nodes.map((node) => node.row)) };
}

/**
 * What was committed first, the others in the drafter's order.
 *
 * @param {TreeMark[]} marks
 */
function childrenOf(marks) {
  /** @type {number[][]} */
  const kids = marks.map(() => []);
  marks.forEach(({ parent, look }, i) => {
    if (parent < 0) return;
    if (COMMITTED.has(look)) kids[parent].unshift(i);
    else kids[parent].push(i);
  });
  return kids;
}

/**
 * Nodes of every branch, its first included.
 *
 * @param {TreeMark[]} marks
 */
function sizesOf(marks) {
  const sizes = marks.map(() => 1);
  for (let i = marks.length - 1; i > 0; i--) sizes[marks[i].parent] += sizes[i];
  return sizes;
}

/**
 * The node that a drawing wider than its place shows: where the commit ends, the root of a draft that is still read.
 *
 * @param {Placed[]} nodes
 */
export const tellingNode = (nodes) => nodes.findLast(({ mark }) => COMMITTED.has(mark.look)) ?? nodes[0];

/**
 * Where to scroll, no further than one must, to see a node with its label.
 *
 * @param {Placed} node
 * @param {Grid} grid
 * @param {{ scrollLeft: number, scrollTop: number, clientWidth: number, clientHeight: number }} place
 */
export function sightOf({ column, row }, { x, y, right }, { scrollLeft, scrollTop, clientWidth, clientHeight }) {
  const within = (/** @type {number} */ at, /** @type {number} */ least, /** @type {number} */ most) =>
    Math.max(0, Math.min(most, Math.max(at, least)));
  return {
    left: within(scrollLeft, x[column] + right - clientWidth, x[column] - LEFT),
    top: within(scrollTop, y[row] + TOP - clientHeight, y[row] - TOP),
  };
}

/** Columns that fit: @param {number} room pixels */
export const columnsIn = (room) => Math.max(2, Math.floor((room - LEFT) / LEAST));

/**
 * @param {Layout} layout
 * @param {number} room pixels
 * @returns {Grid}
 */
export function gridOf({ nodes, columns, rows }, room) {
  const right = Math.max(RIGHT, ...nodes.map((node) => behind(node) - (columns - 1 - node.column) * LEAST));
  const step = Math.min(MOST, Math.max(LEAST, (room - LEFT - Math.min(right, 2 * RIGHT)) / Math.max(1, columns - 1)));
  const high = new Set(nodes.filter((node) => node.inner).map((node) => node.row));
  /** @type {number[]} */
  const y = [];
  for (let row = 0; row < rows; row++) y.push(row ? y[row - 1] + (high.has(row) ? HIGH : LOW) : TOP);
  const x = Array.from({ length: columns }, (_, column) => LEFT + column * step);
  const width = Math.max(room - 2, (x.at(-1) ?? 0) + right);
  return { x, y, step, right, width, height: (y.at(-1) ?? 0) + 16 };
}

/** The room that label and count take behind a node: @param {Placed} node */
const behind = ({ mark, inner, hidden }) =>
  inner ? 0 : 22 + (labelOf(mark).length + (hidden ? 4 + String(hidden).length : 0)) * LETTER;

// A draft tree as GraphML, with all that the trace holds of its nodes; as `respec export --graph graphml` writes it.

/** @import { Node } from "./types.js" */

// a parser refuses or changes the others
const NOT_XML = /[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
/** @type {Record<string, string>} */
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** @param {string} text */
const safe = (text) =>
  text
    .replace(NOT_XML, (odd) => `⟨${(odd.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, "0")}⟩`)
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

/** @param {unknown} value */
const scalar = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** @param {unknown[]} values of one field */
function typeOf(values) {
  if (values.every((value) => typeof value === "number"))
    return values.every((value) => Number.isInteger(value)) ? "long" : "double";
  return values.every((value) => typeof value === "boolean") ? "boolean" : "string";
}

/**
 * @param {Node[]} nodes of one round
 * @param {Record<string, string | number>} about the graph
 */
export function graphml(nodes, about) {
  const rows = nodes.map(({ id, ...data }) => ({
    id,
    data: Object.entries(data).filter(([, value]) => value !== null && value !== undefined),
  }));
  /** @type {Map<string, unknown[]>} */
  const fields = new Map();
  for (const { data } of rows) for (const [name, value] of data) fields.set(name, [...(fields.get(name) ?? []), value]);
  const keys = [
    ...[...fields].map(
      ([name, values]) =>
        `  <key id="${safe(name)}" for="node" attr.name="${safe(name)}" attr.type="${typeOf(values)}"/>`,
    ),
    ...Object.entries(about).map(
      ([name, value]) => `  <key id="graph-${name}" for="graph" attr.name="${name}" attr.type="${typeOf([value])}"/>`,
    ),
  ];
  const facts = Object.entries(about).map(
    ([name, value]) => `    <data key="graph-${name}">${safe(String(value))}</data>`,
  );
  const drawn = rows.map(({ id, data }) => {
    const told = data.map(([name, value]) => `<data key="${safe(name)}">${safe(scalar(value))}</data>`).join("");
    return `    <node id="${id}">${told}</node>`;
  });
  const edges = nodes
    .filter(({ parent }) => parent >= 0)
    .map(({ id, parent }) => `    <edge source="${parent}" target="${id}"/>`);
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...keys,
    '  <graph edgedefault="directed">',
    ...facts,
    ...drawn,
    ...edges,
    "  </graph>",
    "</graphml>",
    "",
  ].join("\n");
}

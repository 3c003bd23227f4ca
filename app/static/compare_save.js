// A comparison as one file.

import { h } from "./dom.js";
import { savePacket } from "./exchange.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { Host } from "./page.js" */

/**
 * @param {Host} host
 * @param {CompareStore} store
 */
export function saveComparison(host, store) {
  const save = async () => {
    const { shown, comparison } = store;
    if (!comparison) return;
    const name = comparison.lanes.map((lane) => lane.method).join("-");
    await savePacket(host, { stream: "saved", seq: 0, messages: shown }, `respec-compare-${name}.html`);
  };
  const title = "One HTML file that shows this comparison anywhere";
  return h("button", { type: "button", class: "rs-quiet", text: "Save page", title, on: { click: () => void save() } });
}

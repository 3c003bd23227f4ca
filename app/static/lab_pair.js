// Two knobs at once: the map of their values, and its front.

import { fill, h } from "./dom.js";
import { LabPanel } from "./lab_panel.js";

/** @import { Parts } from "./lab_panel.js" */
/** @import { Control, PairAnswer } from "./types.js" */

export class LabPair {
  going = false;

  /**
   * @param {Parts} parts
   * @param {(other: string) => Promise<PairAnswer | null>} ask
   */
  constructor(parts, ask) {
    this.ask = ask;
    this.select = h("select", { class: "rs-select is-small", id: "rs-lab-other" });
    this.run = h("button", { type: "button", class: "rs-button", text: "Draw the map" });
    const label = h("label", { class: "rs-label", for: "rs-lab-other", text: "Second knob" });
    const asked = h("div", { class: "rs-lab-asked" }, label, this.select, this.run);
    this.map = new LabPanel(parts, { id: "lab-map", title: "Map of two knobs", above: [asked] });
    this.front = new LabPanel(parts, { id: "lab-front", title: "Pareto front" });
    this.element = h("div", { class: "rs-lab-pair" }, this.map.element, this.front.element);
    this.front.element.hidden = true;
    this.run.addEventListener("click", () => void this.toggle());
  }

  /**
   * @param {Control[]} controls
   * @param {string} knob that is chosen already
   */
  offer(controls, knob) {
    const picked = this.select.value;
    fill(
      this.select,
      controls
        .filter(({ name }) => name !== knob)
        .map(({ name, label }) => h("option", { value: name, text: label, selected: name === picked })),
    );
    this.going = false;
  }

  /** It was of other settings. */
  clear() {
    this.going = false;
    this.map.draw({ sentence: "" });
    this.front.clear();
  }

  async toggle() {
    this.going = !this.going;
    this.run.textContent = this.going ? "Stop" : "Draw the map";
    while (this.going) {
      const found = await this.ask(this.select.value);
      if (!found || !this.going) break;
      const rest = found.left ? ` Still computing ${found.left} combinations.` : "";
      this.map.draw({ ...found.panel, sentence: found.panel.sentence + rest });
      this.front.draw(found.front);
      if (!found.left) break;
    }
    this.going = false;
    this.run.textContent = "Draw the map";
  }
}

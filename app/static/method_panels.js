// Panels that only some methods fill: shown when the round or the run has what they draw.

import { FusionPanel } from "./fusion.js";
import { LatticePanel } from "./lattice.js";

export const METHOD_TABS = [["fusion", "Fusion"], ["lattice", "Lattice"]];

export class MethodPanels {
  constructor(page) {
    this.store = page.store;
    this.fusion = new FusionPanel(page);
    this.lattice = new LatticePanel(page);
    this.elements = [this.fusion.element, this.lattice.element];
  }

  draw(view, round, tabs) {
    const { panels } = this.store;
    this.fusion.draw(view?.fusion, round, panels.fusion);
    this.lattice.draw(view?.lattice, round);
    for (const element of this.elements) tabs.querySelector(`[data-tab=${element.dataset.panel}]`).hidden = element.classList.contains("is-absent");
  }

  figures() {
    return [...this.fusion.figures(), this.lattice.figure];
  }
}

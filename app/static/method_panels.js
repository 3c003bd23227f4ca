// Panels that only some methods fill: shown when the round or the run has what they draw.

import { FusionPanel } from "./fusion.js";
import { LatticePanel } from "./lattice.js";
import { CalibrationPanel, LengthPanel } from "./run_panels.js";

export const METHOD_TABS = [["fusion", "Fusion"], ["lattice", "Lattice"], ["adl", "Length"], ["calibration", "Acceptance"]];

export class MethodPanels {
  constructor(page) {
    this.page = page;
    this.store = page.store;
    this.fusion = new FusionPanel(page);
    this.lattice = new LatticePanel(page);
    this.length = new LengthPanel(page);
    this.calibration = new CalibrationPanel(page);
    this.ofRound = [this.fusion.element, this.lattice.element];
    this.ofRun = [this.length.element, this.calibration.element];
  }

  draw(view, round, tabs) {
    const { panels, run } = this.store;
    this.fusion.draw(view?.fusion, round, panels.fusion);
    this.lattice.draw(view?.lattice, round);
    this.length.draw(panels.adl, run?.run_id, round);
    this.calibration.draw(panels.calibration, panels.positions, run?.run_id);
    for (const element of [...this.ofRound, ...this.ofRun]) {
      const tab = tabs.querySelector(`[data-tab=${element.dataset.panel}]`);
      tab.hidden = element.classList.contains("is-absent");
      if (tab.hidden && tab.getAttribute("aria-selected") === "true") this.page.showTab("tree");
    }
  }

  figures() {
    return [...this.fusion.figures(), this.lattice.figure, this.length.figure, ...this.calibration.figures];
  }
}

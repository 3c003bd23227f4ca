// Panels that methods declare: shown when the round or the run has what they draw.

import { drawingOf } from "./drawings.js";

export class MethodPanels {
  constructor(page, declared) {
    this.page = page;
    this.store = page.store;
    this.panels = declared.map((panel) => ({ ...panel, drawing: new (drawingOf(panel))(page, panel) }));
    for (const { id, drawing } of this.panels) {
      drawing.element.dataset.panel = id;
      drawing.element.classList.add("rs-method-panel", "is-absent");
    }
  }

  get tabs() {
    return this.panels.map(({ id, tab }) => [id, tab]);
  }

  elements(scope) {
    return this.panels.filter((panel) => panel.scope === scope).map(({ drawing }) => drawing.element);
  }

  draw(round, tabs) {
    const { views, panels } = this.store;
    for (const { id, scope, drawing } of this.panels) {
      const ofRound = scope === "round",
        view = ofRound ? views[round]?.panels[id] : panels[id];
      drawing.element.classList.toggle("is-absent", !view);
      if (view) drawing.draw(view, round, ofRound ? panels[id] : "");
      const tab = tabs.querySelector(`[data-tab=${id}]`);
      tab.hidden = !view;
      if (tab.hidden && tab.getAttribute("aria-selected") === "true") this.page.showTab("tree");
    }
  }

  // Of a narrow page, which shows one panel at a time.
  pick(id) {
    for (const panel of this.panels) panel.drawing.element.classList.toggle("is-picked", panel.id === id);
  }

  figures() {
    return this.panels.flatMap(({ drawing }) => drawing.figures);
  }
}

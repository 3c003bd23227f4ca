// A panel that Python declares: drawn by the module it names, all others by the general component.

import { GeneralPanel } from "./general_panel.js";

/** @import { Context, Drawing, DrawingClass, Host, Panel, Part } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Described } from "./types.js" */

/** @typedef {Map<string, DrawingClass>} Drawings by module */

/**
 * @param {Host} host
 * @param {Described[]} panels
 * @returns {Promise<Drawings>}
 */
export async function loadDrawings(host, panels) {
  const names = [...new Set(panels.flatMap(({ module }) => module ?? []))];
  return new Map(await Promise.all(names.map(async (name) => drawingIn(name, await host.load(name)))));
}

/**
 * @param {string} name
 * @param {{ Drawing: DrawingClass }} module
 * @returns {[string, DrawingClass]}
 */
const drawingIn = (name, module) => [name, module.Drawing];

/** @implements {Panel} */
export class DeclaredPanel {
  /**
   * @param {Context} context
   * @param {Described} described
   * @param {Drawings} drawings
   */
  constructor(context, described, drawings) {
    this.id = described.id;
    this.tab = described.tab;
    this.scope = described.scope;
    /** @type {DrawingClass} */
    const Drawing = drawings.get(described.module ?? "") ?? GeneralPanel;
    /** @type {Drawing} */
    this.drawing = new Drawing(context, described);
    /** @type {readonly Part[]} */
    this.reads = ["run", ...(this.scope === "round" ? /** @type {const} */ (["round"]) : []), ...(Drawing.reads ?? [])];
    this.element = this.drawing.element;
    this.element.dataset.panel = this.id;
    this.element.classList.add("rs-method-panel");
  }

  get figures() {
    return this.drawing.figures;
  }

  /** @param {Store} store */
  present(store) {
    return Boolean(this.view(store));
  }

  /** @param {Store} store */
  view(store) {
    return this.scope === "round" ? store.view?.panels[this.id] : store.panels[this.id];
  }

  /** @param {Store} store */
  draw(store) {
    const total = this.scope === "round" ? store.panels[this.id] : "";
    this.drawing.draw(this.view(store), store.round, total ?? "");
  }

  mark() {
    this.drawing.mark?.();
  }
}

// A panel that Python declares: drawn by the module it names, all others by the general component.

import { GeneralPanel } from "./general_panel.js";

/** @import { Context, DrawingClass, Host, Panel, Part } from "./page.js" */
/** @import { Store } from "./store.js" */
/** @import { Described, RoundPanels, RunPanels } from "./types.js" */

/** @typedef {DrawingClass<never>} AnyDrawing of a view that only it knows, see `PanelModules` */
/** @typedef {Map<string, AnyDrawing>} Drawings by module */

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
 * @param {{ Drawing: AnyDrawing }} module
 * @returns {[string, AnyDrawing]}
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
    /** @type {AnyDrawing} */
    const Drawing = drawings.get(described.module ?? "") ?? GeneralPanel;
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
    if (this.scope === "run") return store.panels[/** @type {keyof RunPanels} */ (this.id)];
    return store.view?.panels[/** @type {keyof RoundPanels} */ (this.id)];
  }

  /** @param {Store} store */
  draw(store) {
    const total = this.scope === "round" ? store.panels[/** @type {"fusion"} */ (this.id)] : "";
    this.drawing.draw(/** @type {never} */ (this.view(store)), store.round, total ?? "");
  }

  mark() {
    this.drawing.mark?.();
  }
}

// The panels of a page: each is drawn when a part of the store that it reads has changed, and while it can be seen.

/** @import { Panel, Part } from "./page.js" */
/** @import { Store } from "./store.js" */

/** @type {readonly Part[]} */
const MARKED = ["selection", "pointed"];

/** @typedef {{ panel: Panel, near: boolean, present: boolean | null, drawn: Partial<Record<Part, number>> }} Place */

export class Stage {
  /**
   * @param {Store} store
   * @param {(panel: Panel, present: boolean) => void} onPresence whether a panel has anything to show has changed
   */
  constructor(store, onPresence) {
    this.store = store;
    this.onPresence = onPresence;
    /** @type {Map<Element, Place>} */
    this.places = new Map();
    this.sight = new IntersectionObserver((seen) => this.seen(seen));
    store.subscribe(() => this.draw());
  }

  /** @param {Panel} panel */
  add(panel) {
    const place = { panel, near: Boolean(panel.always), present: null, drawn: {} };
    this.places.set(panel.element, place);
    this.judge(place);
    if (!panel.always) this.sight.observe(panel.element);
  }

  /** @param {IntersectionObserverEntry[]} entries */
  seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const place = this.places.get(target);
      if (place) place.near = isIntersecting;
    }
    this.draw();
  }

  draw() {
    const { version } = this.store;
    for (const place of this.places.values()) {
      const { panel, drawn } = place;
      const old = panel.reads.some((part) => drawn[part] !== version[part]);
      if (!old && !(panel.mark && MARKED.some((part) => drawn[part] !== version[part]))) continue;
      if (old) this.judge(place);
      if (!place.near || !place.present) continue;
      if (old) panel.draw(this.store);
      panel.mark?.(this.store);
      place.drawn = { ...version };
    }
  }

  /** @param {Place} place */
  judge(place) {
    const present = place.panel.present?.(this.store) ?? true;
    if (present === place.present) return;
    place.present = present;
    place.panel.element.classList.toggle("is-absent", !present);
    this.onPresence(place.panel, present);
  }

  /** The theme changed: every drawing, in its new colours. */
  repaint() {
    for (const { panel } of this.places.values()) for (const figure of panel.figures) figure.repaint();
  }
}

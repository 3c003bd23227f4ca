// What the components of the page tell each other: header, form and run are mounted apart.

/** @import { PageEvents } from "./page.js" */

/** @typedef {keyof PageEvents} Kind */

const LASTING = new Set(["status", "state", "shown"]); // who comes later hears the latest of these at once

export class Bus {
  constructor() {
    /** @type {Map<Kind, Set<(detail: never) => void>>} */
    this.listeners = new Map();
    /** @type {Map<Kind, unknown>} */
    this.latest = new Map();
  }

  /**
   * @template {Kind} K
   * @param {K} kind
   * @param {(detail: PageEvents[K]) => void} listener
   * @returns {() => void} ends it
   */
  on(kind, listener) {
    const known = this.listeners.get(kind) ?? new Set();
    this.listeners.set(kind, known.add(listener));
    if (this.latest.has(kind)) listener(/** @type {PageEvents[K]} */ (this.latest.get(kind)));
    return () => known.delete(listener);
  }

  /**
   * @template {Kind} K
   * @param {K} kind
   * @param {PageEvents[K]} detail
   * @returns {boolean} whether anybody listens
   */
  emit(kind, detail) {
    if (LASTING.has(kind)) this.latest.set(kind, detail);
    const listeners = this.listeners.get(kind) ?? new Set();
    for (const listener of listeners) listener(/** @type {never} */ (detail));
    return listeners.size > 0;
  }
}

export const bus = new Bus();

// One selection for all panels: what is clicked, reached by key or pointed at in one of them is marked in every other.

import { selected, shows } from "./picks.js";

/** @import { Picked, Rect } from "./page.js" */
/** @import { DrawnPoint } from "./figures.js" */
/** @import { Floating } from "./floating.js" */
/** @import { Scrubber } from "./scrubber.js" */
/** @import { Store } from "./store.js" */

/** @template Data @typedef {(data: Data) => Picked | null | undefined} Reads what a mark or a row stands for, nothing of some */
/** @template Data @typedef {(data: Data, point: DrawnPoint) => HTMLElement | null | undefined | false | ""} Says the card of a mark */

export class Picker {
  /**
   * @param {Store} store
   * @param {Scrubber} scrubber
   * @param {Floating} floating
   */
  constructor(store, scrubber, floating) {
    this.store = store;
    this.scrubber = scrubber;
    this.floating = floating;
  }

  /** @param {Picked | null | undefined} picked its round is gone to */
  choose(picked) {
    const selection = picked ? selected(this.store, picked) : null;
    if (!selection) return;
    if (selection.round !== this.store.round || this.store.follow || this.scrubber.playing.on)
      this.scrubber.go(selection.round);
    this.store.pin(selection);
  }

  clear() {
    this.leave();
    this.store.pin(null);
  }

  /**
   * @param {Picked | null | undefined} picked
   * @param {ReturnType<Says<never>>} card
   * @param {Rect} rect beside which the card stands
   */
  point(picked, card, rect) {
    this.floating.show(card, rect);
    this.store.point(picked ? selected(this.store, picked) : null);
  }

  leave() {
    this.floating.hide();
    this.store.point(null);
  }

  /**
   * Of a drawing, whose marks carry `data`.
   *
   * @template Data
   * @param {Reads<Data>} reads
   * @param {Says<Data>} says
   */
  handlers(reads, says) {
    return {
      onHover: (/** @type {Data} */ data, /** @type {Rect} */ rect, /** @type {unknown} */ point = null) =>
        this.point(reads(data), says(data, /** @type {DrawnPoint} */ (point)), rect),
      onLeave: () => this.leave(),
      onClick: (/** @type {Data} */ data) => this.choose(reads(data)),
    };
  }

  /**
   * @param {Picked | null | undefined} picked
   * @returns {{ chosen: boolean, pointed: boolean }} whether it is, or belongs to what is
   */
  marks(picked) {
    const { store } = this;
    if (!picked) return { chosen: false, pointed: false };
    return { chosen: shows(store, picked, store.selection), pointed: shows(store, picked, store.pointed) };
  }

  /**
   * @param {Element} element
   * @param {Picked | null | undefined} picked what it stands for
   */
  mark(element, picked) {
    const { chosen, pointed } = this.marks(picked);
    element.classList.toggle("is-chosen", chosen);
    element.classList.toggle("is-pointed", pointed);
  }
}

// The one form of all pages, kept by this browser, and by each entry of its history as it was there.

import { keep, kept } from "./keeping.js";

/** @import { LaneWishes, Wishes } from "./types.js" */

/** @typedef {Omit<Wishes, "asked"> & { others?: LaneWishes[], turns?: boolean }} Form `others` are Compare's, behind the first */

const NAME = "form";
const SETTLED_MS = 300; // browsers refuse to write an entry with every key

/** @type {(() => void) | null} */
let due = null;

function write() {
  due?.();
  due = null;
}

/** @param {Partial<Form>} part what a page has of it */
export function keepForm(part) {
  const form = { ...kept(NAME), ...part };
  keep(NAME, form);
  if (!due) {
    setTimeout(write, SETTLED_MS);
    addEventListener("pagehide", write, { once: true });
  }
  due = () => history.replaceState({ ...history.state, form }, "");
}

/**
 * @param {boolean} asked whether the address asks for another
 * @returns {Form | null} as this entry of the history has it, else as it was left
 */
export const keptForm = (asked) => history.state?.form ?? (asked ? null : kept(NAME));

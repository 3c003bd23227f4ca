// The one form of all pages, kept by this browser, and by each entry of its history as it was there.

import { keep, kept } from "./keeping.js";
import { newStream } from "./mount.js";

/** @import { LaneWishes, Wishes } from "./types.js" */

/** @typedef {Omit<Wishes, "asked"> & { others?: LaneWishes[], turns?: boolean }} Form `others` are Compare's, behind the first */

const NAME = "form";

/** @param {Partial<Form>} part what a page has of it */
export function keepForm(part) {
  const form = { ...kept(NAME), ...part };
  keep(NAME, form);
  if (!history.state?.entry) history.replaceState({ ...history.state, entry: newStream() }, "");
  keep(`${NAME}:${history.state.entry}`, form, () => sessionStorage);
}

/**
 * @param {boolean} asked whether the address asks for another
 * @returns {Form | null} as this entry of the history has it, else as it was left
 */
export function keptForm(asked) {
  const entry = history.state?.entry;
  const own = entry && kept(`${NAME}:${entry}`, () => sessionStorage);
  return own ?? (asked ? null : kept(NAME));
}

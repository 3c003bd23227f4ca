// What this browser keeps over a reload: the form, and the last run unless it is too large. Nothing leaves the machine.

const PREFIX = "respec:";
const everywhere = () => localStorage; // the word alone throws in a frame of another site
const MOST = 2_000_000; // characters of one entry; a page has about five million in all
export const LOOKS = new Set(["play", "__theme"]); // of an address: how the page looks, not what it shows

/**
 * @param {string} name
 * @param {unknown} value anything that is JSON; null forgets it
 * @param {() => Storage} [place] where, if not for all pages
 * @returns {boolean} whether it is kept
 */
export function keep(name, value, place = everywhere) {
  try {
    place().removeItem(PREFIX + name); // an older one is not the last
    const text = JSON.stringify(value);
    if (value === null || text.length > MOST) return false;
    place().setItem(PREFIX + name, text);
    return true;
  } catch {
    return false; // full, or forbidden
  }
}

/**
 * @param {string} name
 * @param {() => Storage} [place]
 * @returns {any} what was kept, or null; it may be from another version of the page
 */
export function kept(name, place = everywhere) {
  try {
    return JSON.parse(place().getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} search of the page's address: whether it asks for settings or a run, which then go before what is kept */
export const asks = (search) => [...new URLSearchParams(search).keys()].some((name) => !LOOKS.has(name));

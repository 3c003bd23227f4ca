// What every component does with its host.

/** @import { Host } from "./page.js" */

/**
 * @param {Host} host
 * @returns {HTMLElement} where the component stands
 */
export function place(host) {
  const found = host.element.querySelector(".rs");
  if (!(found instanceof HTMLElement)) throw new Error("a component has no place on the page");
  document.dispatchEvent(new Event("rs:there")); // loading_frames.js
  return found;
}

/** What a run or a comparison of this page is called from its asking to its last packet. */
export const newStream = () => crypto.randomUUID?.() ?? String(Math.random());

/**
 * Its value, now and whenever the server sends another.
 *
 * @param {Host} host
 * @param {(value: any) => void} take
 */
export function onValue(host, take) {
  const read = () => {
    if (host.props.value) take(JSON.parse(host.props.value));
  };
  host.watch?.("value", read);
  read();
}

// Keys of a player, when nobody is typing: Live's from anywhere on its page, a lesson's while the player has the focus.

import { isTyping } from "./dom.js";
import { OVERLAYS } from "./vocabulary.js";

/** @import { Player } from "./player.js" */

/** @type {Array<[string, string]>} */
export const PLAYER_HELP = [
  ["←  →", "previous or next round"],
  ["Shift ← →", "previous or next round with a draft"],
  ["Home  End", "first or last round"],
  ["Space", "play or pause"],
  ["1 2 3 4", "colour the text by outcome, entropy, probability, source"],
  ["Tab, then ← →", "walk through the tokens"],
  ["Enter, Esc", "choose what has the focus in any panel or table; clear the choice"],
];

/**
 * @param {KeyboardEvent} event
 * @param {Player} player
 * @param {Record<string, () => void>} [more] keys of the page
 */
export function playerKey(event, player, more = {}) {
  const { scrubber, text, picker } = player;
  const on = (/** @type {string} */ what) => event.target instanceof Element && event.target.closest(what) !== null;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) return;
  if (event.key === "Escape") return leave(picker);
  if (on(".rs-plot-scroll[tabindex], .rs-table-wrap")) return; // scrolls it
  const toSide = (/** @type {1 | -1} */ by) => (event.shiftKey ? jump(player, by) : scrubber.step(by));
  /** @type {Record<string, () => void>} */
  const acts = {
    ArrowLeft: () => toSide(-1),
    ArrowRight: () => toSide(1),
    Home: () => scrubber.go(0),
    End: () => scrubber.go(scrubber.last),
    " ": () => scrubber.playing.toggle(),
    ...Object.fromEntries(OVERLAYS.map(({ id }, i) => [String(i + 1), () => text.setOverlay(id)])),
    ...more,
  };
  const act = acts[event.key];
  if (!act || (event.key === " " && on("button, summary, a"))) return;
  event.preventDefault();
  act();
}

/** Nothing is chosen, nothing has the focus. @param {Player["picker"]} picker */
function leave(picker) {
  picker.clear();
  if (document.activeElement?.closest(".rs-token, .rs-tree-node"))
    /** @type {HTMLElement} */ (document.activeElement).blur();
}

/**
 * @param {Player} player
 * @param {1 | -1} by
 */
function jump({ store: { steps, round }, scrubber }, by) {
  let at = round + by;
  while (at > 0 && at < steps.length - 1 && steps[at].trees.final.length < 2) at += by;
  scrubber.go(at);
}

// Keys of the Learn page, where no field or widget has them for itself.

import { keysDialog } from "./keys_dialog.js";
import { isTyping } from "./dom.js";

const HELP = [
  ["←  →", "previous or next step"],
  ["p  n", "previous or next lesson"],
  ["c", "class size and back"],
  ["Tab", "into the step; arrows move sliders, trees and choices"],
  ["in a run", "← → rounds, Space plays, 1 to 4 colour the text, Esc clears"],
  ["?", "this list"],
];
const OWN = "input, [role=tree], [role=region][tabindex], .rs-plot-scroll[tabindex], .rs-mask-scroll";

/** @typedef {{ step(by: number): void, lesson(by: number): void, resize(): void }} Acts */

/** @param {Acts} acts */
export function installLearnKeys(acts) {
  const dialog = keysDialog(HELP);
  document.addEventListener("keydown", (event) => {
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (chord || event.defaultPrevented || dialog.open || isTyping(event.target)) return;
    const inside = event.target instanceof Element && event.target.closest(OWN);
    /** @type {Record<string, () => void>} */
    const known = {
      ArrowLeft: () => acts.step(-1),
      ArrowRight: () => acts.step(1),
      p: () => acts.lesson(-1),
      n: () => acts.lesson(1),
      c: () => acts.resize(),
      "?": () => dialog.showModal(),
    };
    const act = known[event.key];
    if (!act || (inside && event.key.startsWith("Arrow"))) return;
    event.preventDefault();
    act();
  });
}

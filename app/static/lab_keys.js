// Keys of the Lab, when nobody is typing.

import { isTyping } from "./dom.js";
import { keysDialog } from "./keys_dialog.js";

/** @import { LabKnob } from "./lab_knob.js" */

/** @type {Array<[string, string]>} */
const HELP = [
  ["←  →", "the knob's previous or next value"],
  ["Home  End", "its first or last value"],
  ["Table, then ↑ ↓ Enter", "in the atlas: choose a position, which opens in Live"],
  ["?", "this list"],
];

/** @param {{ element: HTMLElement, knob: LabKnob }} page */
export function installLabKeys({ element, knob }) {
  const dialog = keysDialog(HELP);
  document.addEventListener("keydown", (event) => {
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (chord || event.defaultPrevented || dialog.open || isTyping(event.target) || !element.isConnected) return;
    const control = event.target instanceof Element && event.target.closest("button, summary, a, input");
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => knob.step(-1),
      ArrowRight: () => knob.step(1),
      Home: () => knob.step(-Infinity),
      End: () => knob.step(Infinity),
      "?": () => dialog.showModal(),
    };
    const act = acts[event.key];
    if (!act || (control && event.key !== "?")) return;
    event.preventDefault();
    act();
  });
}

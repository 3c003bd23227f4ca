// Keys of the Compare page, when nobody is typing.

import { isTyping } from "./dom.js";
import { keysDialog } from "./keys_dialog.js";

/** @import { CompareStore } from "./compare_store.js" */
/** @import { Race } from "./compare_race.js" */

/** @type {Array<[string, string]>} */
const HELP = [
  ["←  →", "previous or next position, everywhere"],
  ["Home  End", "first or last position"],
  ["d", "where the texts part first"],
  ["Space", "play or pause the race"],
  ["Tab, then ← →", "walk through the tokens of one text"],
  ["Ctrl Enter", "compare, from the prompt"],
  ["?", "this list"],
];

/** @param {{ element: HTMLElement, store: CompareStore, race: Race }} page */
export function installCompareKeys({ element, store, race }) {
  const dialog = keysDialog(HELP);
  document.addEventListener("keydown", (event) => {
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (chord || event.defaultPrevented || dialog.open || isTyping(event.target) || !element.isConnected) return;
    const control = event.target instanceof Element && event.target.closest("button, summary, a, input");
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => store.pin(store.position - 1),
      ArrowRight: () => store.pin(store.position + 1),
      Home: () => store.pin(0),
      End: () => store.pin(store.positions - 1),
      d: () => store.parting !== null && store.pin(store.parting),
      " ": () => race.playing.toggle(),
      "?": () => dialog.showModal(),
    };
    const act = acts[event.key];
    if (!act || (control && event.key !== "?" && event.key !== "d")) return;
    event.preventDefault();
    act();
  });
}

// Keys of the page, when nobody is typing.

import { isTyping } from "./dom.js";
import { keysDialog } from "./keys_dialog.js";
import { OVERLAYS } from "./vocabulary.js";

/** @import { Picker } from "./picker.js" */
/** @import { Presentation } from "./presenting.js" */
/** @import { Scrubber } from "./scrubber.js" */
/** @import { Store } from "./store.js" */
/** @import { TokenText } from "./tokens.js" */

/** @typedef {{ element: HTMLElement, store: Store, scrubber: Scrubber, text: TokenText, picker: Picker,
 *   presentation: Presentation }} Page */

const HELP = [
  ["←  →", "previous or next round"],
  ["Shift ← →", "previous or next round with a draft"],
  ["Home  End", "first or last round"],
  ["Space", "play or pause"],
  ["1 2 3 4", "colour the text by outcome, entropy, probability, source"],
  ["Tab, then ← →", "walk through the tokens"],
  ["Enter, Esc", "choose what has the focus in any panel or table; clear the choice"],
  ["f", "stage: text, tree and one number for a room, and back"],
  ["Ctrl Enter", "run, from the prompt"],
  ["?", "this list"],
];

/** @param {Page} page */
export function installKeys(page) {
  const dialog = keysDialog(HELP);
  document.addEventListener("keydown", (event) => {
    const chord = event.ctrlKey || event.metaKey || event.altKey;
    if (chord || event.defaultPrevented || dialog.open || isTyping(event.target)) return;
    if (!page.element.isConnected || !page.element.getClientRects().length) return;
    if (event.key === "Escape") return leave(page);
    if (event.target instanceof Element && event.target.closest(".rs-plot-scroll[tabindex], .rs-table-wrap")) return; // scrolls it
    const onButton = event.target instanceof Element && event.target.closest("button, summary, a");
    const { scrubber } = page;
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => (event.shiftKey ? jump(page, -1) : scrubber.step(-1)),
      ArrowRight: () => (event.shiftKey ? jump(page, 1) : scrubber.step(1)),
      Home: () => scrubber.go(0),
      End: () => scrubber.go(page.store.steps.length - 1),
      " ": () => scrubber.toggle(),
      f: () => page.presentation.toggle(),
      "?": () => dialog.showModal(),
    };
    OVERLAYS.forEach((overlay, i) => {
      acts[String(i + 1)] = () => page.text.setOverlay(overlay.id);
    });
    const act = acts[event.key];
    if (!act || (event.key === " " && onButton)) return;
    event.preventDefault();
    act();
  });
}

/** Nothing is chosen, nothing has the focus. @param {Page} page */
function leave({ picker }) {
  picker.clear();
  if (document.activeElement?.closest(".rs-token, .rs-tree-node"))
    /** @type {HTMLElement} */ (document.activeElement).blur();
}

/**
 * @param {Page} page
 * @param {1 | -1} by
 */
function jump(page, by) {
  const { steps, round } = page.store;
  let at = round + by;
  while (at > 0 && at < steps.length - 1 && steps[at].trees.final.length < 2) at += by;
  page.scrubber.go(at);
}

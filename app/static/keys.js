// Keys of the page, when nobody is typing.

import { h, isTyping } from "./dom.js";
import { OVERLAYS } from "./vocabulary.js";

const HELP = [
  ["←  →", "previous or next round"],
  ["Shift ← →", "previous or next round with a draft"],
  ["Home  End", "first or last round"],
  ["Space", "play or pause"],
  ["1 2 3 4", "colour the text by outcome, entropy, probability, source"],
  ["Tab, then ← →", "walk through the tokens"],
  ["Ctrl Enter", "run, from the prompt"],
  ["?", "this list"],
];

export function installKeys(page) {
  const dialog = helpDialog();
  document.body.append(dialog);
  document.addEventListener("respec:help", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented ||
      dialog.open ||
      isTyping(event.target)
    )
      return;
    if (!page.element.isConnected || page.element.offsetParent === null) return;
    const onButton = event.target.closest?.("button, summary, a");
    const { scrubber } = page;
    const acts = {
      ArrowLeft: () => (event.shiftKey ? jump(page, -1) : scrubber.step(-1)),
      ArrowRight: () => (event.shiftKey ? jump(page, 1) : scrubber.step(1)),
      Home: () => scrubber.go(0),
      End: () => scrubber.go(scrubber.count - 1),
      " ": () => scrubber.toggle(),
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

function jump(page, by) {
  const { steps } = page.store;
  let at = page.scrubber.round + by;
  while (at > 0 && at < steps.length - 1 && steps[at].trees.final.length < 2) at += by;
  page.scrubber.go(at);
}

function helpDialog() {
  const dialog = h(
    "dialog",
    { class: "rs rs-help", "aria-label": "Keys" },
    h("h2", { text: "Keys" }),
    h(
      "dl",
      {},
      HELP.map(([keys, what]) => [h("dt", { text: keys }), h("dd", { text: what })]),
    ),
    h("button", { type: "button", class: "rs-button", text: "Close", on: { click: () => dialog.close() } }),
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

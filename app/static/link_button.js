// Copies an address; where there is no clipboard, the address bar has it.

import { h } from "./dom.js";

const TEXT = "Copy link";
const SAID_MS = 2500;

/** @param {() => string} address what is linked to */
export function linkButton(address) {
  const button = h("button", { type: "button", class: "rs-quiet", text: TEXT });
  button.addEventListener("click", async () => {
    const url = address();
    try {
      await navigator.clipboard.writeText(url);
      button.textContent = "Link copied";
    } catch {
      history.replaceState(history.state, "", url);
      button.textContent = "Link is in the address bar";
    }
    setTimeout(() => (button.textContent = TEXT), SAID_MS);
  });
  return button;
}

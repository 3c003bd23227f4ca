// Keys of the page, when nobody is typing.

import { keysDialog } from "./keys_dialog.js";
import { PLAYER_HELP, playerKey } from "./player_keys.js";

/** @import { Player } from "./player.js" */
/** @import { Presentation } from "./presenting.js" */

/** @type {Array<[string, string]>} */
const HELP = [
  ...PLAYER_HELP,
  ["f", "stage: text, tree and one number for a room, and back"],
  ["Ctrl Enter", "run, from the prompt"],
  ["?", "this list"],
];

/** @param {{ element: HTMLElement, player: Player, presentation: Presentation }} page */
export function installKeys({ element, player, presentation }) {
  const dialog = keysDialog(HELP);
  document.addEventListener("keydown", (event) => {
    if (dialog.open || !element.isConnected || !element.getClientRects().length) return;
    playerKey(event, player, { f: () => presentation.toggle(), "?": () => dialog.showModal() });
  });
}

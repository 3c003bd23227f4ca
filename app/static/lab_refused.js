// What a refusal leaves on the Lab page: nothing of other settings.

/** @import { LabPair } from "./lab_pair.js" */
/** @import { LabPanel } from "./lab_panel.js" */
/** @import { LabPicture } from "./lab_picture.js" */
/** @import { LabVerdict } from "./lab_verdict.js" */
/** @import { Question } from "./types.js" */

/**
 * @param {{ verdict: LabVerdict, pair: LabPair, picture: LabPicture, curve: LabPanel, kinds: LabPanel,
 *   lengths: LabPanel, positions: LabPanel, regret: LabPanel }} page
 * @param {Question["what"]} what was asked
 * @param {boolean} real whether a real run could tell
 */
export function refused({ verdict, pair, picture, curve, kinds, lengths, positions, regret }, what, real) {
  if (what === "pair") pair.clear();
  if (what === "look") verdict.clear(real);
  const where = [kinds, lengths, positions, regret, picture.panel]; // the slider stands
  /** @type {Partial<Record<Question["what"], LabPanel[]>>} */
  const panels = { look: where, curve: [curve], picture: [picture.panel], regret: [regret] };
  for (const panel of panels[what] ?? []) panel.clear();
}

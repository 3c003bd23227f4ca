// One text: who could have drafted what, where these settings and the best router went.

import { fill, h } from "./dom.js";
import { LabPanel } from "./lab_panel.js";
import { shelve } from "./lab_shelved.js";

/** @import { Parts } from "./lab_panel.js" */
/** @import { ListedText, PictureAnswer, RoundAnswer } from "./types.js" */

/**
 * @typedef {object} Acts
 * @property {(text: string) => Promise<PictureAnswer | null>} ask
 * @property {(text: string, at: number) => Promise<RoundAnswer | null>} round
 * @property {(text: string) => void} say what went wrong
 * @property {string} root the app's address
 */

export class LabPicture {
  text = "";

  /**
   * @param {Parts} parts
   * @param {Acts} acts
   */
  constructor(parts, acts) {
    this.acts = acts;
    this.select = h("select", { class: "rs-select is-small", id: "rs-lab-text", "aria-label": "Text of the picture" });
    this.panel = new LabPanel(parts, {
      id: "lab-picture",
      title: "Atlas: when does which drafter help?",
      pick: (/** @type {{ at: number }} */ { at }) => void this.open(at),
      above: [this.select],
    });
    this.element = this.panel.element;
    this.select.addEventListener("change", () => {
      this.text = this.select.value;
      void this.draw();
    });
  }

  /** @param {ListedText[]} texts */
  offer(texts) {
    const there = texts.some(({ id }) => id === this.text);
    this.text = there ? this.text : (texts[0]?.id ?? "");
    fill(
      this.select,
      texts.map(({ id, kind, tokens }) =>
        h("option", { value: id, text: `${kind}, prompt ${id} (${tokens} tokens)`, selected: id === this.text }),
      ),
    );
  }

  /**
   * A position in Live: the replayed run goes to the shelf, as if it had been opened.
   *
   * @param {number} at
   */
  async open(at) {
    const found = await this.acts.round(this.text, at);
    if (!found) return;
    try {
      location.assign(await shelve(found, at, this.acts.root));
    } catch (error) {
      this.acts.say(error instanceof Error ? error.message : String(error));
    }
  }

  /** @returns {Promise<boolean>} whether there is one */
  async draw() {
    const found = await this.acts.ask(this.text);
    if (found) this.panel.draw(found.panel);
    return Boolean(found);
  }
}

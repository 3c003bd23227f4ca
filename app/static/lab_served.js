// Another engine's run: a file of vLLM's or AIPerf's in the panels of this page.

import { fill, h } from "./dom.js";
import { LabPanel } from "./lab_panel.js";

/** @import { Parts } from "./lab_panel.js" */
/** @import { Host } from "./page.js" */
/** @import { ServedAnswer } from "./types.js" */

const MOST_MB = 16;
const HELP =
  "Responses of vLLM with --per-request-spec-decode-metrics detailed, one a line, or AIPerf's profile_export.jsonl " +
  "(--export-level records). The file is read by this server and not kept.";

export class LabServed {
  /**
   * @param {Parts} parts
   * @param {Host} host
   */
  constructor(parts, host) {
    this.host = host;
    this.positions = new LabPanel(parts, { id: "served-positions", title: "Acceptance by position, reported" });
    this.lengths = new LabPanel(parts, { id: "served-lengths", title: "Accepted by drafted length, reported" });
    this.file = h("input", { type: "file", id: "rs-lab-served", accept: ".json,.jsonl", class: "rs-lab-file" });
    this.told = h("p", { class: "rs-method-line", role: "status", "aria-live": "polite" });
    this.facts = h("dl", { class: "rs-lab-facts" });
    this.pair = h("div", { class: "rs-lab-pair", hidden: true }, this.positions.element, this.lengths.element);
    this.element = h(
      "details",
      { class: "rs-panel rs-lab-export" },
      h("summary", { text: "Another engine's run" }),
      h("p", { class: "rs-method-line", text: HELP }),
      h("label", { class: "rs-label", for: "rs-lab-served", text: "File" }),
      this.file,
      this.told,
      this.facts,
      this.pair,
    );
    this.file.addEventListener("change", () => void this.read());
  }

  async read() {
    const file = this.file.files?.[0];
    if (!file) return;
    if (file.size > MOST_MB * 2 ** 20) return this.say(`This page takes files of up to ${MOST_MB} MB.`);
    /** @type {ServedAnswer | { error: string }} */
    let found;
    try {
      found = JSON.parse((await this.host.server?.served(await file.text())) ?? "");
    } catch {
      found = { error: "The server did not answer: try again." };
    }
    this.file.value = "";
    if ("error" in found) return this.say(found.error);
    this.say(found.sentence);
    fill(
      this.facts,
      found.facts.map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", { text: value }))),
    );
    this.pair.hidden = false;
    this.positions.draw(found.positions);
    this.lengths.draw(found.lengths);
  }

  /** @param {string} text */
  say(text) {
    this.told.textContent = text;
    fill(this.facts);
    this.pair.hidden = true;
  }
}

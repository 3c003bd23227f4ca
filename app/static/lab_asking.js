// Questions to the Lab's server: of each kind the newest counts, an answer to an older one is void.

/** @import { Host } from "./page.js" */
/** @import { LabAnswers } from "./page.js" */
/** @import { Question, Refused } from "./types.js" */

const NO_ANSWER = "The server did not answer: try again.";

export class Asking {
  /** @type {Map<string, number>} */
  asked = new Map();

  /** @param {Pick<Host, "server">} host */
  constructor(host) {
    this.host = host;
  }

  /**
   * @template {Question["what"]} What
   * @param {Question & { what: What }} question
   * @returns {Promise<LabAnswers[What] | Refused | null>} null where it is void
   */
  async ask(question) {
    const mine = (this.asked.get(question.what) ?? 0) + 1;
    this.asked.set(question.what, mine);
    let found;
    try {
      found = JSON.parse((await this.host.server?.lab(JSON.stringify(question))) ?? "");
    } catch {
      found = { error: NO_ANSWER, real: false };
    }
    return this.asked.get(question.what) === mine ? found : null;
  }
}

// Questions to the Lab's server: of each kind one is under way, and of those that wait for it the newest is asked.

/** @import { Host } from "./page.js" */
/** @import { LabAnswers } from "./page.js" */
/** @import { Question, Refused } from "./types.js" */

const NO_ANSWER = "The server did not answer: try again.";

export class Asking {
  /** @type {Map<string, Question>} the newest of each kind */
  newest = new Map();
  /** @type {Map<string, Promise<unknown>>} */
  underWay = new Map();

  /** @param {Pick<Host, "server">} host */
  constructor(host) {
    this.host = host;
  }

  /**
   * @template {Question["what"]} What
   * @param {Question & { what: What }} question
   * @returns {Promise<LabAnswers[What] | Refused | null>} null where a newer one took its place; what stands under a
   *   slider that has only moved on since is still worth a look
   */
  async ask(question) {
    const { what } = question;
    this.newest.set(what, question);
    while (this.underWay.has(what)) await this.underWay.get(what);
    if (this.newest.get(what) !== question) return null;
    const answer = this.answer(question);
    this.underWay.set(what, answer);
    const found = await answer;
    this.underWay.delete(what);
    const newest = this.newest.get(what);
    const follows = what === "look" && !("error" in found) && allBut(question) === allBut(newest);
    return newest === question || follows ? found : null;
  }

  /** @param {Question} question */
  async answer(question) {
    try {
      return JSON.parse((await this.host.server?.lab(JSON.stringify(question))) ?? "");
    } catch {
      return { error: NO_ANSWER, real: false };
    }
  }
}

/** @param {Question | undefined} question without where the slider stands */
const allBut = (question) => JSON.stringify({ ...question, value: null });

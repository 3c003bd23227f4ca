// A recorded lattice searched again in the browser, and what came of a search, here or on the server, in sentences.

import { chosenPath, verdictAgainst } from "./lattice_paths.js";
import { searchAgain } from "./lattice_search.js";
import { ngramProxy } from "./ngram_proxy.js";
import { short } from "./signs.js";

/** @import { Drawn } from "./lattice_figures.js" */
/** @import { Answer, Lattice, WhatIf as Question } from "./types.js" */

const SHOWN = 60; // characters of a path in the sentence

/** How the run decided about tokens. @typedef {{ rule: string, temperature: number }} Deciding */

/** @param {Question} question */
const written = ({ prompt_ids, output_ids, ctx_len }) => [...prompt_ids, ...output_ids].slice(ctx_len);

/**
 * The search with this run's own n-grams: with `proxy` n-gram or none, the run's own search.
 *
 * @param {Question} question
 * @returns {Answer}
 */
export function searchedHere(question) {
  const { prompt_ids, output_ids, ctx_len, proxy, ngram, vocab_size } = question;
  const prefix = [...prompt_ids, ...output_ids].slice(0, ctx_len);
  const weighing = proxy === "none" ? null : ngramProxy(prefix, ngram, vocab_size);
  const lattice = searchAgain(question.lattice, weighing, prefix, question);
  const [path, text] = [chosenPath(lattice), written(question)];
  const accepted = same(path, text);
  return { lattice, accepted, known: accepted < text.length || accepted === path.length, corpus: false };
}

/**
 * What the panel shows instead of the recorded search.
 *
 * @param {Question} question
 * @param {Answer} found
 * @param {Deciding} deciding
 * @returns {Drawn}
 */
export function told(question, found, deciding) {
  const exact = deciding.rule === "strict" && deciding.temperature === 0;
  const said = [chosen(question.lattice, found.lattice), acceptance(question, found, deciding, exact)];
  if (question.proxy === "none") said.push("Without a causal proxy, λ changes nothing.");
  if (question.proxy === "corpus" && !found.corpus)
    said.push("Not exact: only this run's n-grams were counted; the drafter's corpus is not here.");
  // a relaxed or sampling target might have taken a token that differs from the text
  const verdict = verdictAgainst(found.lattice, written(question), found.accepted, found.known && exact);
  return { lattice: found.lattice, verdict, sentence: said.join(" ") };
}

/**
 * @param {Lattice} recorded
 * @param {Lattice} now
 */
function chosen(recorded, now) {
  const [before, path] = [chosenPath(recorded), chosenPath(now)];
  const texts = new Map(now.positions.flatMap(({ cand }) => cand.map(({ token, text }) => [token, text])));
  const quoted = `‘${short(path.map((token) => texts.get(token)).join(""), SHOWN)}’`;
  if (path.join() === before.join()) return `The search chooses ${quoted}, as it did in the run.`;
  return `The search chooses ${quoted}, which leaves the run's choice at position ${same(path, before) + 1}.`;
}

/**
 * @param {Question} question
 * @param {Answer} found
 * @param {Deciding} deciding
 * @param {boolean} exact whether the target's decisions follow from the text: it took its favourite and nothing else
 */
function acceptance(question, { lattice, accepted, known }, { temperature }, exact) {
  const [path, before, text] = [chosenPath(lattice), chosenPath(question.lattice), written(question)];
  const whole = `${path.length} token${path.length === 1 ? "" : "s"}`;
  if (!exact) {
    const how = temperature ? "sampled" : "verified by a relaxed rule";
    return `${accepted} of its ${whole} are what was written; the run was ${how}, so the target might have taken others.`;
  }
  if (!known) {
    const rest = accepted ? "there the text ends" : "nothing was written after this round";
    return `${accepted} of its ${whole} are what was written, and ${rest}: what the target says to the others is not known.`;
  }
  const instead = path.join() === before.join() ? "" : ` (of the run's choice: ${same(before, text)})`;
  return `The target would have accepted ${accepted} of its ${whole}${instead}.`;
}

/**
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 * @returns {number} how many tokens they share from the start
 */
function same(one, other) {
  const apart = one.findIndex((token, i) => token !== other[i]);
  return apart < 0 ? one.length : apart;
}

// A diffusion lattice in its three drawings and passes, and what a repeated search says.

import assert from "node:assert/strict";
import test from "node:test";

import { latticeFigure, passFigureOf } from "../../app/static/lattice_figures.js";
import { cutOf } from "../../app/static/lattice_notes.js";
import { leftOut, thinned } from "../../app/static/lattice_paths.js";
import { searchedHere, told } from "../../app/static/what_if_told.js";

const [KEPT, CUT, HATCH, TEXT, BEAMS, GREEDY, CHOSEN, ACCEPTED, SIGNS] = [0, 1, 2, 3, 5, 7, 9, 10, 11]; // of the map

const position = (i, tokens, m, text = "t") => ({
  i,
  cand: tokens.map((token, rank) => ({
    ...{ token, text: `${text}${token}`, logp_dlm: Math.log([0.5, 0.3, 0.15, 0.05][rank]), is_eos: false },
    ...{ kept: rank < m, pruned_by: rank < m ? null : "mass_tau" },
  })),
  mass_at_cut: [0.5, 0.8, 0.95, 1][m - 1],
  M_i: m,
});

const beam = (tokens, score) => ({ tokens, score, dlm_sum: 2 * score, ngram_sum: null, alive: true });

/** Three positions, the chosen path 10-21-30, and two other beams. */
const example = (text) => ({
  k: 3,
  positions: [
    position(0, [10, 11, 12, 13], 2, text),
    position(1, [20, 21, 22, 23], 2, text),
    position(2, [30, 31, 32, 33], 3, text),
  ],
  beams: [beam([10, 21, 30], -1), beam([10, 20, 31], -1.5), beam([11, 20, 31], -2.5)],
  ...{ chosen: 0, top1_path: [10, 20, 30], lambda_dlm: 0.5, tau: 0.8, passes: [], links: null },
});

const VERDICT = { accepted: [[0, 0]], rejected: [[1, 1]], own: [[1, 3]] };

const figure = (name, lattice = example(), verdict = VERDICT) =>
  latticeFigure(name, { lattice, verdict, sentence: "What it is." });

const gaps = (values) => values.filter((value) => value === null).length;

test("kept and cut cells are apart, and cut ones are hatched", () => {
  const { data } = figure("map");
  const [kept, out] = [data[KEPT].z, data[CUT].z];
  assert.deepEqual([kept[0][0], out[0][0], kept[2][0], out[2][0]], [-0.693, null, null, -1.897]);
  assert.notEqual(kept[2][2], null); // position 3 keeps three
  assert.equal(gaps(data[HATCH].x), 7 * out.flat().filter((value) => value !== null).length);
  assert.ok(data[CUT].opacity < data[KEPT].opacity);
  assert.deepEqual(data[TEXT].customdata.slice(0, 4), [
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
  ]);
  assert.equal(data[TEXT].text[0], "t10");
});

test("in the map the greedy path is dashed, the chosen one solid, beams run thin above the texts", () => {
  const { data } = figure("map");
  const [beams, greedy, chosen] = [data[BEAMS], data[GREEDY], data[CHOSEN]];
  assert.deepEqual([greedy.line.dash, chosen.line.dash], ["dash", undefined]);
  assert.deepEqual(greedy.y.map(Math.floor), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(chosen.y.map(Math.floor), [0, 0, 1, 1, 0, 0]);
  assert.ok(beams.line.width < chosen.line.width);
  assert.equal(gaps(beams.x), 2);
  assert.ok(beams.y.every((y) => y === null || y < Math.round(y)));
});

test("accepted prefix, first rejection and the target's own token carry signs, the sentence is the drawing's", () => {
  const { data, alt } = figure("map");
  assert.equal(data[ACCEPTED].x.length, 2);
  assert.deepEqual(
    [data[SIGNS].text, data[SIGNS].y],
    [
      ["✓", "✗", "↻"],
      [0, 1, 3],
    ],
  );
  assert.equal(alt, "What it is.");
});

test("the trellis has an edge once and leaves out ranks that nobody uses", () => {
  const { data, layout } = figure("trellis");
  const [third, second, chosen, accepted, idle, used, , signs] = data;
  assert.ok(chosen.line.width > second.line.width && second.line.width > third.line.width);
  assert.deepEqual([gaps(chosen.x), gaps(second.x)], [3, 2]); // start-10 is drawn once
  assert.deepEqual(
    [accepted.x, signs.text],
    [
      [-1, 0],
      ["✓", "✗", "↻"],
    ],
  );
  assert.deepEqual(used.customdata.map(String), ["0,0", "0,1", "1,0", "1,1", "2,0", "2,1"]);
  assert.deepEqual(idle.customdata.map(String), ["1,3", "2,2"]); // the target's own was cut
  assert.ok(used.marker.size[0] > used.marker.size[1]); // larger: likelier
  assert.deepEqual(layout.yaxis.ticktext, ["1", "2", "3", "4"]);
  const wide = { ...example(), positions: [position(0, [10, 11, 12, 13], 4), ...example().positions.slice(1)] };
  const none = { accepted: [], rejected: [], own: [] };
  assert.equal(figure("trellis", wide, none).layout.xaxis.ticktext[0], "1<br>+ 1");
});

/** The same with links: whatever stands before, half of it is behind the token of the same rank. */
const linked = () => {
  const row = (before) => [0, 1, 2, 3].map((rank) => Math.log(rank === before ? 0.5 : 0.1));
  const alone = [0.7, 0.1, 0.1, 0.1].map(Math.log);
  const edges = [0, 1, 2, 3].map(row);
  return { ...example(), links: [[], edges, edges].map((table) => ({ edges: table, alone })) };
};

test("where positions are linked each edge of the trellis says what it has", () => {
  const labels = figure("trellis", linked()).data.at(-1);
  assert.equal(labels.mode, "text");
  assert.deepEqual(labels.text, ["50%", "10%", "10%", "50%", "10%", "30%", "10%"]);
  assert.equal(figure("trellis").data.at(-1).text[0], "✓"); // no labels without links
});

test("links are cut with the lattice", () => {
  const { positions, links } = thinned(linked(), 8);
  assert.deepEqual(
    links.map(({ alone }) => alone.length),
    positions.map(({ cand }) => cand.length),
  );
});

test("mass bars stack up and show where τ cut them", () => {
  const { data, layout } = figure("mass");
  const [kept, out, names, cuts, marks] = data;
  assert.deepEqual(
    [kept.y.slice(0, 2), kept.base.slice(0, 2)],
    [
      [0.5, 0.3],
      [0, 0.5],
    ],
  );
  assert.deepEqual(out.base.slice(0, 2), [0.8, 0.95]);
  assert.ok(kept.width === out.width && out.width < 1); // where few are cut, their bars stay as narrow
  assert.deepEqual([cuts.y[0], marks.text, layout.shapes[0].y0], [0.8, ["M = 2", "M = 2", "M = 3"], 0.8]);
  assert.deepEqual(names.text, ["t10", "t11", "t20", "t21", "t30", "t31", "t32"]); // what was kept
});

test("a refinement pass frames what it decided, dotted what was decided before", () => {
  const cand = Array(3).fill([
    { token: 1, text: "<b>", p: 0.9 },
    { token: 2, text: "c", p: 0 },
  ]);
  const passes = [
    { cand, decided: [0, 2] },
    { cand, decided: [1] },
  ];
  const [first, second] = [0, 1].map((pass) => passFigureOf({ ...example(), passes }, pass, "said"));
  const bold = ({ layout }) => layout.shapes.filter(({ line }) => !line.dash).map(({ x0 }) => x0);
  assert.deepEqual([bold(first), bold(second), second.layout.shapes.length], [[-0.48, 1.52], [0.52], 3]);
  assert.deepEqual(first.data[0].z, [Array(3).fill(-0.105), Array(3).fill(-6)]);
  assert.equal(first.data[1].text[0], "&lt;b&gt;");
});

test("what a model wrote is inert in every drawing", () => {
  for (const name of ["map", "trellis", "mass"])
    for (const { text } of figure(name, example("<a>")).data)
      for (const label of text ?? []) assert.ok(!/[<>]/.test(label));
});

test("every position says why its candidates end", () => {
  const [first] = example().positions;
  const held = "the best 2 candidates hold 80% of the probability, ≥ τ = 80%; the others were cut";
  assert.equal(cutOf(first, 0.8), held);
  const short = { ...first, cand: first.cand.slice(0, 2), mass_at_cut: 0.4 };
  assert.equal(cutOf(short, 0.8), "the best 2 candidates hold 40% of the probability, < τ = 80%; none was cut");
});

test("of a large lattice the first positions and likeliest candidates are drawn, the rest is counted", () => {
  const cand = Array.from({ length: 64 }, (_, token) => ({ ...example().positions[0].cand[0], token }));
  const positions = Array.from({ length: 256 }, (_, i) => ({ ...position(i, [1], 1), cand, M_i: 64 }));
  const beams = Array(64).fill(beam(Array(256).fill(63), -1));
  const lattice = { ...example(), positions, beams, chosen: 40 };
  const shown = thinned(lattice);
  assert.ok(shown.positions.length * shown.positions[0].cand.length <= 1100);
  assert.match(leftOut(lattice), /^\+\d+ more candidates are not drawn\.$/);
  for (const name of ["map", "trellis", "mass"])
    assert.ok(figure(name, lattice).data.every(({ x = [] }) => x.length < 30_000));
  const small = example();
  assert.equal(thinned(small), small);
});

const asking = (more = {}) => ({
  ...{ prompt_ids: [1, 2], output_ids: [10, 20, 31, 5], ctx_len: 2, lattice: example(), proxy: "none", ngram: 3 },
  ...{ length_normalised: true, vocab_size: 40, target: "t", lambda_dlm: 0.5, tau: 0.8, beam: 3, ...more },
});
const STRICT = { rule: "strict", temperature: 0 };
const saying = (question, deciding = STRICT) => told(question, searchedHere(question), deciding);

test("a search is told by its choice and by what the text says of it", () => {
  const { sentence, verdict } = saying(asking());
  assert.match(sentence, /^The search chooses ‘t10t20t30’, which leaves the run's choice at position 2\. /);
  assert.match(sentence, /would have accepted 2 of its 3 tokens \(of the run's choice: 1\)\. Without a causal proxy/);
  assert.deepEqual(verdict, { accepted: [[0, 0], [1, 0]], rejected: [[2, 0]], own: [[2, 1]] }); // prettier-ignore
});

test("a search reads the links", () => {
  const { lattice } = searchedHere(asking({ lattice: linked() }));
  assert.deepEqual(lattice.beams[0].tokens, [10, 20, 30]);
  assert.ok(Math.abs(lattice.beams[0].dlm_sum - 3 * Math.log(0.5)) < 1e-9);
});

test("what the target says is not known where the text ends, and doubtful where it is not its own favourite", () => {
  assert.match(saying(asking({ output_ids: [] })).sentence, /nothing was written after this round.* is not known/);
  assert.match(saying(asking({ output_ids: [10] })).sentence, /there the text ends/);
  assert.match(saying(asking(), { rule: "strict", temperature: 0.7 }).sentence, /the run was sampled/);
  const relaxed = saying(asking(), { rule: "relaxed", temperature: 0 });
  assert.match(relaxed.sentence, /verified by a relaxed rule/);
  assert.deepEqual(relaxed.verdict.rejected, []);
});

test("without the corpus a search is not exact, and says so", () => {
  assert.match(saying(asking({ proxy: "corpus" })).sentence, /Not exact: only this run's n-grams were counted/);
  const counted = { ...searchedHere(asking({ proxy: "corpus" })), corpus: true };
  assert.doesNotMatch(told(asking({ proxy: "corpus" }), counted, STRICT).sentence, /exact/);
});

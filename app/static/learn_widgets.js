// What draws each kind of piece of a lesson.

import { AutomatonWidget } from "./learn_automaton.js";
import { FigureWidget } from "./learn_figure.js";
import { GrowthWidget } from "./learn_growth.js";
import { KnobWidget } from "./learn_knob.js";
import { MaskWidget } from "./learn_mask.js";
import { NumberWidget } from "./learn_number.js";
import { proseElement } from "./learn_prose.js";
import { QuestionWidget } from "./learn_question.js";
import { RuleWidget } from "./learn_rule.js";
import { RunWidget } from "./learn_run.js";
import { saveRow } from "./learn_save.js";

/** @import { Figure } from "./figures.js" */
/** @import { Floating } from "./floating.js" */
/** @import { Plotly } from "./page.js" */
/** @import { Piece, PlayedRun, Verdict } from "./types.js" */

/**
 * What a widget is given beside its view: who it is, the round of a link, the runs, whom to tell, who checks.
 *
 * @typedef {{ key: string, round: number | null, solved: boolean, plotly: () => Promise<Plotly>,
 *   runs: Record<string, PlayedRun>, floating: Floating,
 *   look(round: number): void, solve(): void, check(given: unknown): Promise<Verdict>,
 *   here(term: string): string }} LearnContext
 */
/** @typedef {{ element: Element, figures?: readonly Figure[], told?: (term: string) => string }} Drawn */

const SAVED = new Set(["knob", "figure", "mask", "growth", "automaton"]); // pieces with a drawing; a player saves its own

/**
 * @param {Piece} piece
 * @param {LearnContext} context
 * @returns {Drawn}
 */
export function drawn(piece, context) {
  const widget = made(piece, context);
  if (SAVED.has(piece.kind)) widget.element.append(saveRow(widget, context.key));
  return widget;
}

/**
 * @param {Piece} piece
 * @param {LearnContext} context
 * @returns {Drawn}
 */
function made(piece, context) {
  switch (piece.kind) {
    case "run":
      return new RunWidget(piece, context);
    case "question":
      return new QuestionWidget(piece, context);
    case "knob":
      return new KnobWidget(piece, context);
    case "number":
      return new NumberWidget(piece, context);
    case "figure":
      return new FigureWidget(piece, context);
    case "mask":
      return new MaskWidget(piece);
    case "growth":
      return new GrowthWidget(piece);
    case "rule":
      return new RuleWidget(piece);
    case "automaton":
      return new AutomatonWidget(piece);
    default:
      return { element: proseElement(piece, context.here) };
  }
}

// What the page's own parts agree on. What comes from the server is in types.d.ts.

import type { Figure } from "./figures.js";
import type { Floating } from "./floating.js";
import type { Glossary } from "./glossary.js";
import type { Picker } from "./picker.js";
import type { Scrubber } from "./scrubber.js";
import type { Store } from "./store.js";
import type {
  CurveAnswer,
  Described,
  ExportAnswer,
  LookAnswer,
  PairAnswer,
  PictureAnswer,
  RegretAnswer,
  RoundAnswer,
  SetAnswer,
  Setup,
  Standing,
  Status,
} from "./types.js";

/** What a component is mounted with. A saved page has nobody to ask: no `watch`, no `server`, a deaf `trigger`. */
export interface Host {
  element: HTMLElement;
  props: Record<string, string>;
  trigger(event: string, detail?: unknown): void;
  /** A module of ours by its name. */
  load(name: string): Promise<any>;
  watch?(prop: string, changed: () => void): void;
  server?: {
    empty(): Promise<string>;
    what_if(question: string): Promise<string>;
    /** The packet of a run that is over, by its stream. */
    whole(stream: string): Promise<string>;
    /** What a form's settings lead to. */
    outlook(settings: string): Promise<string>;
    /** Where a stream's run stands in the line. */
    ahead(stream: string): Promise<Standing>;
    alive(): Promise<boolean>;
    /** A question to the Lab as JSON text; so is the answer. */
    lab(question: string): Promise<string>;
    /** A lesson by its name, as JSON text. */
    lesson(name: string): Promise<string>;
    /** The verdict about an answer, both as JSON text. */
    check(answer: string): Promise<string>;
    /** What an engine reported, as a file's text; the answer is JSON text. */
    served(text: string): Promise<string>;
  };
  /** The app's own address, under which its pages are. */
  root?: string;
  /** Where the drawing library is; a saved page carries it inline. */
  plotly?: string;
}

/** What an element is filled with: nothing, text, elements, lists of them. */
export type Child = globalThis.Node | string | number | null | undefined | false | readonly Child[];

export type RunState = "idle" | "waiting" | "running";

/** Events between the components, by their kind (`bus.js`). */
export interface PageEvents {
  /** Somebody pressed Run: packets of this stream are wanted. */
  run: { stream: string };
  /** By key from the form to the run, over all settings. */
  torun: null;
  /** Somebody pressed Stop before anything came. */
  giveup: null;
  /** The server did not take the run. */
  refused: null;
  /** The run that was lost is wanted once more. */
  again: null;
  state: RunState;
  /** What is looked at, for a link: a showcase by its name, any other run by its id; a round and a token from 0. */
  shown: { showcase: string; run: string; round: number; token: number | null };
  /** The settings of a run are wanted in the form. */
  use: Setup;
  /** A run of the shelf is wanted in Live. */
  reopen: { id: string };
  status: Status;
  help: null;
}

/** What the Lab answers, by what is asked. */
export interface LabAnswers {
  set: SetAnswer;
  curve: CurveAnswer;
  look: LookAnswer;
  pair: PairAnswer;
  picture: PictureAnswer;
  regret: RegretAnswer;
  round: RoundAnswer;
  export: ExportAnswer;
}

/** Parts of the store that a panel can read; it is drawn when one of its parts has changed. */
export type Part =
  | "run" // head, growing figures, numbers, panels about the run
  | "rounds" // how many rounds and tokens there are
  | "round" // the round that is looked at, or the draft that is pending
  | "selection" // what is chosen
  | "pointed" // what the pointer or the focus is on
  | "state"; // waiting, running, progress, error

/** What is chosen or pointed at, the same from whatever panel; a round alone is the whole of it. */
export interface Selection {
  round: number;
  /** Its place in the output, null where nothing was written there. */
  token: number | null;
  /** Its node of the verified tree, -1 for the target's own token. */
  node: number | null;
  /** A node of a part that was not sent. */
  left?: [tree: "drafter" | "retrieval", id: number];
  /** A guess without a node: how deep, and which word of the vocabulary. */
  guess?: [depth: number, id: number];
  /** A retrieved candidate. */
  hit?: number;
}

/**
 * What a panel's mark, row or cell stands for: a token, a node, a lattice's guess, a candidate, a token so many back from
 * where a round began, a round.
 */
export type Picked =
  | { token: number }
  | { round: number; node: number; tree?: "final" | "drafter" | "retrieval" }
  | { round: number; guess: [depth: number, id: number] }
  | { round: number; hit: number }
  | { round: number; back: number }
  | { round: number };

/** A panel of the page's own. */
export interface Panel {
  id: string;
  element: HTMLElement;
  reads: readonly Part[];
  figures: readonly Figure[];
  draw(store: Store): void;
  /** Marks what is chosen and what is pointed at: after every drawing, and when these change. */
  mark?(store: Store): void;
  /** Small and always wanted: drawn whether or not it can be seen. */
  always?: boolean;
  /** Whether there is anything to show; without it there always is. */
  present?(store: Store): boolean;
}

/** What panels are built with. */
export interface Context {
  /** Loaded when something is drawn with it. */
  plotly: () => Promise<Plotly>;
  store: Store;
  floating: Floating;
  glossary: Glossary;
  picker: Picker;
  scrubber: Scrubber;
  host: Host;
}

/** What draws a panel that Python declares: `Drawing` of the module it names, else `general_panel.js`. */
export interface Drawing<View> {
  element: HTMLElement;
  figures: readonly Figure[];
  /** `total` is a line about the whole run, of panels about rounds. */
  draw: (view: View, round: number, total: string) => void;
  /** Marks what is chosen and what is pointed at. */
  mark?(): void;
}

export interface DrawingClass<View> {
  new (context: Context, described: Described): Drawing<View>;
  /** Beside the round or the run that it is about. */
  reads?: readonly Part[];
}

/** A module that draws such views: `PanelModules` holds each panel's against the view that Python makes for it. */
export type Draws<Module extends { Drawing: DrawingClass<View> }, View> = Module;

export interface Rect {
  left: number;
  top: number;
  bottom: number;
  width: number;
}

/** As much of Plotly.js as we use. */
export interface Plotly {
  react(element: HTMLElement, data: unknown[], layout: object, config: object): Promise<unknown>;
  relayout(element: HTMLElement, changes: object): Promise<unknown>;
  downloadImage(element: HTMLElement, options: object): Promise<unknown>;
}

declare global {
  interface Window {
    Plotly?: Plotly;
  }
}

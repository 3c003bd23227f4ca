// What the page's own parts agree on. What comes from the server is in types.d.ts.

import type { Figure } from "./figures.js";
import type { Floating } from "./floating.js";
import type { Glossary } from "./glossary.js";
import type { Scrubber } from "./scrubber.js";
import type { Store } from "./store.js";
import type { Described, Setup, Standing, Status } from "./types.js";

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
  /** What is looked at, for a link: a showcase by its name, a round and a token from 0. */
  shown: { showcase: string; round: number; token: number | null };
  /** The settings of a run are wanted in the form. */
  use: Setup;
  /** A run of the shelf is wanted in Live. */
  reopen: { id: string };
  status: Status;
  help: null;
}

/** Parts of the store that a panel can read; it is drawn when one of its parts has changed. */
export type Part =
  | "run" // head, growing figures, numbers, panels about the run
  | "rounds" // how many rounds and tokens there are
  | "round" // the round that is looked at, or the draft that is pending
  | "selection" // the token or node that is pinned
  | "state"; // waiting, running, progress, error

export type Selection = { token: number } | { node: number; round: number };

/** A panel of the page's own. */
export interface Panel {
  id: string;
  element: HTMLElement;
  reads: readonly Part[];
  figures: readonly Figure[];
  draw(store: Store): void;
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
  scrubber: Scrubber;
  host: Host;
}

/** What draws a panel that Python declares: `Drawing` of the module it names, else `general_panel.js`. */
export interface Drawing<View = any> {
  element: HTMLElement;
  figures: readonly Figure[];
  /** `total` is a line about the whole run, of panels about rounds. */
  draw(view: View, round: number, total: string): void;
}

export interface DrawingClass {
  new (context: Context, described: Described): Drawing;
  /** Beside the round or the run that it is about. */
  reads?: readonly Part[];
}

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

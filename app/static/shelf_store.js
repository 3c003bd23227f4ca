// The runs that this browser keeps: the newest, and the one that others are held against. Nothing leaves the machine.

/** @import { Outcome, RunHead, Setup } from "./types.js" */

/**
 * @typedef {object} Row a run in the list
 * @property {string} id of the run
 * @property {number} at when it was first here, in milliseconds
 * @property {"run" | "recorded" | "opened"} kind
 * @property {string} name what it was opened as; a recorded run by its title
 * @property {string} showcase its name, where it is one of the page's own
 * @property {string} title of its method
 * @property {Setup | null} setup
 * @property {string} prompt how it begins
 * @property {string} [asked] the prompt as it was written, where it is known
 * @property {string} asks the same for runs of one prompt
 * @property {number} tokens
 * @property {Outcome} outcome
 * @property {{ round: number | null, token: number | null }} place where the reader left it
 * @property {number} size characters of its trace
 * @property {boolean} pinned whether others are held against it
 */

/**
 * @typedef {object} Database as much of one as the shelf needs: two tables, by run
 * @property {() => Promise<Row[]>} rows
 * @property {(id: string) => Promise<string | undefined>} trace
 * @property {(row: Row, trace?: string) => Promise<void>} put without a trace, only the row
 * @property {(ids: readonly string[]) => Promise<void>} remove
 */

export const MOST = 50; // runs
export const MOST_SIZE = 150_000_000; // characters of all traces
export const PROMPT_BEGINS = 90; // characters of a prompt in the list
const MOST_ONE = 16_000_000; // more than the server opens again

export const NO_ROOM = "This browser has no room for this run: delete some on the shelf, or save its trace.";
export const NO_SHELF = "This browser keeps no runs (private window, or storage is blocked): save a trace to keep it.";

export class Shelf {
  /** @type {Set<() => void>} */
  listeners = new Set();

  /** @param {Database} database */
  constructor(database) {
    this.database = database;
  }

  /** @param {() => void} listener hears of every change */
  subscribe(listener) {
    this.listeners.add(listener);
  }

  /** @returns {Promise<Row[]>} the newest first */
  async rows() {
    return (await this.database.rows()).sort((a, b) => b.at - a.at);
  }

  /** @param {string} id */
  async find(id) {
    return (await this.rows()).find((row) => row.id === id) ?? null;
  }

  /** @param {string} id */
  async trace(id) {
    return (await this.database.trace(id)) ?? null;
  }

  /**
   * Puts a run on the shelf, or what is new of it; the oldest make room.
   *
   * @param {Omit<Row, "at" | "pinned" | "size">} run
   * @param {string} trace
   * @throws {Error} one sentence, where it cannot be kept
   */
  async put(run, trace) {
    if (trace.length > MOST_ONE) throw new Error(NO_ROOM);
    const rows = await this.asked(() => this.rows());
    const known = rows.find((row) => row.id === run.id);
    const { kind, name, prompt, asked, place, at, pinned } = known ?? { ...run, at: Date.now(), pinned: false };
    const row = { ...run, kind, name, prompt, asked, place, at, pinned, size: trace.length };
    const others = rows.filter((other) => other.id !== run.id);
    const kept = fitting(others, row.size);
    await this.asked(() => this.database.remove(others.filter((other) => !kept.includes(other)).map(({ id }) => id)));
    await this.write(row, trace, kept);
    this.changed();
  }

  /**
   * @param {Row} row
   * @param {string} trace
   * @param {Row[]} others the newest first
   */
  async write(row, trace, others) {
    const droppable = others.filter(({ pinned }) => !pinned);
    for (;;) {
      try {
        return await this.database.put(row, trace);
      } catch (error) {
        const oldest = droppable.pop();
        if (!full(error)) throw new Error(NO_SHELF, { cause: error });
        if (!oldest) throw new Error(NO_ROOM, { cause: error });
        await this.database.remove([oldest.id]);
      }
    }
  }

  /**
   * @param {string} id
   * @param {Row["place"]} place where the reader is in it
   */
  async leave(id, place) {
    const row = await this.find(id);
    if (row) await this.database.put({ ...row, place });
  }

  /**
   * What silent repeats made of it.
   *
   * @param {string} id
   * @param {NonNullable<Outcome["speed"]>} speed
   */
  async time(id, speed) {
    const row = await this.find(id);
    if (!row) return;
    await this.database.put({ ...row, outcome: { ...row.outcome, speed } });
    this.changed();
  }

  /**
   * The one run that others are held against; a second time, none is.
   *
   * @param {string} id
   */
  async pin(id) {
    for (const row of await this.rows()) {
      const pinned = row.id === id && !row.pinned;
      if (pinned !== row.pinned) await this.database.put({ ...row, pinned });
    }
    this.changed();
  }

  /** @param {readonly string[]} ids */
  async remove(ids) {
    await this.database.remove(ids);
    this.changed();
  }

  changed() {
    for (const listener of this.listeners) listener();
  }

  /**
   * @template T
   * @param {() => Promise<T>} ask
   * @returns {Promise<T>}
   */
  async asked(ask) {
    try {
      return await ask();
    } catch (error) {
      throw new Error(NO_SHELF, { cause: error });
    }
  }
}

/** @param {unknown} error */
const full = (error) => error instanceof Error && error.name === "QuotaExceededError";

/**
 * @param {Row[]} rows the newest first
 * @param {number} size of the one that comes
 * @returns {Row[]} those that may stay beside it
 */
function fitting(rows, size) {
  const pinned = rows.filter((row) => row.pinned);
  let left = MOST_SIZE - size - pinned.reduce((sum, row) => sum + row.size, 0);
  let room = MOST - 1 - pinned.length;
  return rows.filter((row) => {
    if (row.pinned) return true;
    left -= row.size;
    room -= 1;
    return left >= 0 && room >= 0;
  });
}

/**
 * A run as the shelf has it.
 *
 * @param {Pick<RunHead, "run_id" | "title" | "prompt_ids">} run
 * @param {Pick<Row, "kind" | "name" | "setup" | "outcome" | "tokens"> & Partial<Row>} more
 * @returns {Omit<Row, "at" | "pinned" | "size">}
 */
export function rowOf({ run_id, title, prompt_ids }, more) {
  const place = { round: null, token: null };
  return { id: run_id, title, showcase: "", prompt: "", asks: askedBy(prompt_ids), place, ...more };
}

/** What a run that was made now is called. */
export const madeNow = () => `run of ${new Date().toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`;

/**
 * Runs of one prompt have this in common.
 *
 * @param {readonly number[]} ids of the prompt
 */
export function askedBy(ids) {
  let hash = 2166136261; // FNV-1a
  for (const id of ids) hash = Math.imul(hash ^ id, 16777619) >>> 0;
  return `${ids.length}-${hash.toString(36)}`;
}

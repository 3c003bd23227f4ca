// The shelf's two tables in the browser's own database.

import { keep, kept } from "./keeping.js";
import { Shelf } from "./shelf_store.js";

/** @import { Database } from "./shelf_store.js" */

const NAME = "respec";
const ROWS = "rows";
const TRACES = "traces";

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const answer = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

function open() {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(ROWS, { keyPath: "id" });
    request.result.createObjectStore(TRACES);
  };
  return answer(request);
}

/**
 * @param {(rows: IDBObjectStore, traces: IDBObjectStore) => void} act
 * @returns {Promise<void>} once all of it is written
 */
async function change(act) {
  const transaction = (await (opened ??= open())).transaction([ROWS, TRACES], "readwrite");
  act(transaction.objectStore(ROWS), transaction.objectStore(TRACES));
  await new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(undefined);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** @type {Database} */
const database = {
  async rows() {
    return answer((await (opened ??= open())).transaction(ROWS).objectStore(ROWS).getAll());
  },
  async trace(id) {
    return answer((await (opened ??= open())).transaction(TRACES).objectStore(TRACES).get(id));
  },
  put: (row, trace) =>
    change((rows, traces) => {
      rows.put(row);
      if (trace !== undefined) traces.put(trace, row.id);
    }),
  remove(ids) {
    if (ids.includes(kept("last")?.id)) keep("last", null); // what of it is read before the scripts have run
    return change((rows, traces) => {
      for (const id of ids) {
        rows.delete(id);
        traces.delete(id);
      }
    });
  },
};

/** The shelf of this browser. */
export const shelf = new Shelf(database);

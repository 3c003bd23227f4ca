// The Lab's address: method, changed settings, set of texts and knob, so that a reload, Back and a link find it again.

import { settled } from "./first_sight.js";
import { asks, LOOKS } from "./keeping.js";
import { SHIPPED } from "./lab_own.js";

/** @import { LabForm } from "./lab_form.js" */
/** @import { LabKnob } from "./lab_knob.js" */
/** @import { LabOwn } from "./lab_own.js" */
/** @import { Wishes } from "./types.js" */

/** @typedef {{ method: string, settings: Array<[string, string]>, set: string, knob: string }} Shown */

const SETTLED_MS = 250; // without a change

/**
 * @param {Shown} shown
 * @param {string} [search] of the address so far
 * @returns {string} of the address
 */
export function searchOf({ method, settings, set, knob }, search = "") {
  const looks = [...new URLSearchParams(search)].filter(([name]) => LOOKS.has(name));
  const query = new URLSearchParams([["method", method], ...settings, ...looks]);
  if (set !== SHIPPED) query.set("set", set);
  if (knob) query.set("knob", knob);
  return `?${query}`;
}

/**
 * @param {string} before
 * @param {string} after
 * @returns {boolean} whether Back should lead from one address to the other: another method, or another set
 */
export function apart(before, after) {
  const [one, other] = [before, after].map((search) => new URLSearchParams(search));
  return asks(before) && ["method", "set"].some((name) => one.get(name) !== other.get(name));
}

export class LabAddress {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  due = undefined;

  /**
   * @param {LabForm} form
   * @param {LabOwn} own
   * @param {LabKnob} knob
   */
  constructor(form, own, knob) {
    this.form = form;
    this.own = own;
    this.knob = knob;
  }

  /** @param {Wishes} wishes of the address, checked by the server; set and knob only the browser reads */
  start(wishes) {
    settled();
    this.form.take(wishes);
    const query = new URLSearchParams(location.search);
    const set = query.get("set") ?? SHIPPED;
    if (set !== SHIPPED) this.own.offer(set, "Own prompts");
    this.knob.name = query.get("knob") ?? "";
    addEventListener("popstate", () => location.reload());
  }

  /** It follows what is shown. */
  visit() {
    clearTimeout(this.due);
    const shown = { ...this.form.spelt, set: this.own.value, knob: this.knob.name };
    const search = searchOf(shown, location.search);
    const url = `${location.pathname}${search}`;
    if (apart(location.search, search))
      history.pushState(null, "", url); // a new entry has no form of its own yet
    else this.due = setTimeout(() => history.replaceState(history.state, "", url), SETTLED_MS);
  }
}

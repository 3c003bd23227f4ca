// The Compare page: two to four runs of one prompt beside each other.

import { bus } from "./bus.js";
import { CompareForm } from "./compare_form.js";
import { comparedHere } from "./compare_here.js";
import { CompareNotice } from "./compare_notice.js";
import { installCompareKeys } from "./compare_keys.js";
import { asked, keepComparison, keepRuns, keptComparison } from "./compare_kept.js";
import { Race } from "./compare_race.js";
import { saveComparison } from "./compare_save.js";
import { CompareStore } from "./compare_store.js";
import { Strips } from "./compare_strips.js";
import { readSpans } from "./token_span.js";
import { Numbers } from "./compare_table.js";
import { Texts } from "./compare_texts.js";
import { Trees } from "./compare_trees.js";
import { fill, h } from "./dom.js";
import { Floating } from "./floating.js";
import { Glossary } from "./glossary.js";
import { newStream, onValue, place } from "./mount.js";
import { Watcher } from "./watcher.js";

/** @import { Host } from "./page.js" */
/** @import { ComparePart } from "./compare_store.js" */
/** @import { ComparePacket, CompareWishes } from "./types.js" */

const TURNS = 3;
const SETTLED_MS = 500; // without a change of position
const NARROW = "(max-width: 900px)"; // the form is above what it asks for

/** @param {Host} host */
export function mount(host) {
  const page = new ComparePage(host);
  place(host).append(page.element);
  page.attach();
}

class ComparePage {
  drawing = 0;
  keeping = Promise.resolve();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  settling = undefined;
  /** @type {Set<ComparePart>} */
  due = new Set();
  /** @type {[string, object] | null} */
  asked = null; // of the server, the last time

  /** @param {Host} host */
  constructor(host) {
    this.host = host;
    this.store = new CompareStore();
    this.race = new Race(this.store);
    const floating = new Floating();
    const glossary = new Glossary(host.props.glossary, floating);
    this.numbers = new Numbers(this.store, glossary);
    this.texts = new Texts(this.store);
    this.strips = new Strips(this.store);
    this.trees = new Trees(this.store, floating);
    this.form = host.watch ? this.makeForm() : null; // a saved page has nobody to ask
    this.title = h("div", { class: "rs-run-title" });
    this.notice = new CompareNotice(() => this.rerun());
    this.why = h("p", { class: "rs-why-sentence", "aria-live": "polite" });
    this.prompt = h("div", { class: "rs-prompt", tabindex: "0", role: "region", "aria-label": "Prompt" });
    this.save = saveComparison(host, this.store);
    this.results = h(
      "div",
      { class: "rs-compare-results" },
      h("section", { class: "rs-panel rs-panel-verdict", "aria-label": "Why" }, this.why, this.prompt),
      this.race.element,
      this.numbers.element,
      this.strips.element,
      this.texts.element,
      this.trees.element,
    );
    this.empty = h("p", {
      class: "rs-empty",
      text: "Choose configurations and press Compare; they run one after another.",
    });
    const actions = h("div", { class: "rs-actions" }, this.form && this.save);
    this.main = h(
      "div",
      { class: "rs-compare-main rs-form-main" },
      h("div", { class: "rs-bar" }, h("div", { class: "rs-bar-head" }, this.title, actions), this.notice.element),
      this.empty,
      this.results,
    );
    this.element = h(
      "div",
      { class: `rs-compare rs-beside${this.form ? "" : " is-saved"}` },
      this.form && h("aside", { class: "rs-form-side" }, this.form.element),
      this.main,
    );
    glossary.title(this.element, (panel) => comparedHere(this.store, panel));
  }

  /** @returns {CompareForm} */
  makeForm() {
    const { props, server } = this.host;
    const form = new CompareForm(JSON.parse(props.schema), JSON.parse(props.showcases), {
      run: () => this.run(),
      stop: () => this.stop(),
      pick: () => void this.pick(),
      changed: () => form.keep(),
      address: () => this.address,
      outlook: server && ((asked) => server.outlook(asked)),
    });
    return form;
  }

  attach() {
    this.draw(new Set(["comparison", "state"]));
    this.store.subscribe((part) => this.changed(part));
    onValue(this.host, (/** @type {ComparePacket} */ packet) => this.take(packet));
    bus.on("status", (status) => this.form?.setStatus(status));
    bus.on("refused", () =>
      this.store.giveUp("The comparison was not taken: too many are waiting. Try again in a moment."),
    );
    if (this.host.server) new Watcher(this.host.server, this.store).start();
    addEventListener("popstate", () => location.reload());
    installCompareKeys(this);
  }

  /** @param {ComparePacket} packet */
  take(packet) {
    this.store.receive(packet);
    const { wishes, shown, state, made, timed } = this.store;
    Object.assign(this.store, { made: [], timed: [] });
    const prompt = this.form?.prompt.value ?? "";
    this.keeping = this.keeping // one after the other: what is timed must be there
      .then(() => keepRuns(made, timed, prompt))
      .catch((error) => this.store.refuse(error.message));
    if (wishes) {
      this.store.wishes = null;
      this.open(wishes, packet.stream);
    } else if (state === "idle" && shown.length)
      keepComparison(location.search, { stream: "kept", seq: 0, messages: shown });
  }

  /**
   * The page opens: the form, and in the place of recorded runs what its settings gave here before.
   *
   * @param {CompareWishes} wishes
   * @param {string} stream
   */
  open(wishes, stream) {
    const { form, store } = this;
    const mine = form?.take(wishes) ? `?${form.query()}` : "";
    if (form && wishes.runs.length) return void this.openKept(form, wishes.runs);
    if (mine && !wishes.asked) store.show(null);
    const again = keptComparison(wishes.asked ? location.search : mine);
    if (again) store.receive({ ...again, stream });
    else store.changed("comparison");
    if (wishes.position !== null) store.pin(wishes.position);
  }

  /**
   * @param {CompareForm} form
   * @param {string[]} ids of runs on the shelf
   */
  async openKept(form, ids) {
    const rows = await form.there.pickKept(ids);
    form.setUps(rows.map(({ setup }) => setup));
    if (rows[0]) form.ask(rows[0]);
    if (rows.length === ids.length) await this.pick();
    else this.store.refuse("Not all of these runs are on this browser's shelf any more.");
  }

  // Packets and pointers come in bursts; drawing waits for the next frame and then draws once.
  /** @param {ComparePart} part */
  changed(part) {
    this.due.add(part);
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      const due = this.due;
      this.due = new Set();
      this.draw(due);
    });
  }

  /** @param {Set<ComparePart>} due */
  draw(due) {
    const { store } = this;
    if (due.has("comparison")) {
      const parts = [this.numbers, this.strips, this.texts, this.trees];
      this.results.classList.toggle("is-live", !store.comparison);
      this.results.hidden = !store.comparison && !store.live.length;
      this.empty.hidden = !this.results.hidden || store.state !== "idle";
      if (store.comparison) for (const part of parts) part.draw();
      this.race.draw();
      this.drawWords();
    } else {
      if (due.has("time")) {
        this.race.drawTime();
        this.texts.drawTime();
      }
      if (due.has("selection")) this.drawSelection();
    }
    if (due.has("selection")) this.settle();
    if (due.has("state")) this.drawState();
  }

  drawSelection() {
    this.race.drawSelection();
    this.strips.drawSelection();
    this.texts.drawSelection(this.store.hovered === null);
    this.trees.drawSelection();
    if (this.store.hovered === null) this.texts.follow();
  }

  /** The address follows what is looked at. */
  settle() {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const query = new URLSearchParams(location.search);
      const { comparison, pinned, parting } = this.store;
      if (!this.form || !comparison || (!query.has("position") && pinned === (parting ?? 0))) return;
      query.set("position", String(pinned));
      history.replaceState(history.state, "", `${location.pathname}?${query}`);
    }, SETTLED_MS);
  }

  drawWords() {
    const { comparison, title } = this.store;
    const lanes = comparison?.lanes ?? [];
    const names = lanes.map((lane) => `${lane.letter} ${lane.title}`).join(", ");
    fill(
      this.title,
      h("h1", { text: "Compare" }),
      h("span", { class: "rs-made", text: names && [names, title].filter(Boolean).join(" · ") }),
    );
    this.why.textContent = comparison?.why.sentence ?? "";
    fill(this.prompt, readSpans(comparison?.prompt ?? []).parts);
  }

  drawState() {
    const { store } = this;
    this.notice.draw(store);
    this.element.dataset.state = store.state;
    this.form?.setBusy(store.state !== "idle");
    this.save.disabled = store.state !== "idle" || !store.comparison;
  }

  run() {
    const { form } = this;
    if (!form || form.run.disabled) return;
    if (!form.prompt.value.trim()) return form.say("Write a prompt first, or pick an example.");
    form.say("");
    form.keep();
    this.visit(form.query());
    const asked = { prompt: form.prompt.value, lanes: form.wanted, turns: form.turns.checked ? TURNS : 0 };
    this.ask("compare", asked);
  }

  async pick() {
    const { form } = this;
    if (!form || form.there.pick.disabled) return;
    const query = form.there.query();
    if (query) this.visit(query);
    this.ask("pick", { runs: await form.there.runs() });
  }

  /** What was lost, whatever the form says by now. */
  rerun() {
    if (this.store.state === "idle" && this.asked) this.ask(...this.asked);
  }

  /**
   * @param {string} event
   * @param {object} asked
   */
  ask(event, asked) {
    const stream = newStream();
    this.asked = [event, asked];
    this.store.expect(stream);
    if (matchMedia(NARROW).matches) this.main.scrollIntoView();
    this.host.trigger(event, { stream, ...asked });
  }

  stop() {
    this.host.trigger("stop", { stream: this.store.stream });
    this.store.giveUp();
  }

  /** @param {URLSearchParams} query what the address asks for from now on; Back leads to what it asked before */
  visit(query) {
    if (asked(`?${query}`) !== asked(location.search)) history.pushState(null, "", `${location.pathname}?${query}`);
  }

  get address() {
    const query = new URLSearchParams(location.search);
    const asked = query.has("traces") || !this.form ? query : this.form.query();
    if (this.store.comparison) asked.set("position", String(this.store.pinned));
    return `${location.origin}${location.pathname}?${asked}`;
  }
}

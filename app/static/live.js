// The Live page: keeps what it was sent, draws the round the reader looks at, never asks the server to step.

import { bus } from "./bus.js";
import { DeclaredPanel, loadDrawings } from "./declared_panel.js";
import { h, reducedMotion } from "./dom.js";
import { EntropyPanel } from "./entropy_panel.js";
import { loadPlotly } from "./figures.js";
import { settled } from "./first_sight.js";
import { Floating } from "./floating.js";
import { Glossary } from "./glossary.js";
import { installKeys } from "./keys.js";
import { numbersHere } from "./live_here.js";
import { onValue, place } from "./mount.js";
import { chosenToken, selected } from "./picks.js";
import { Pictures } from "./pictures.js";
import { Player } from "./player.js";
import { Presentation } from "./presenting.js";
import { RetrievalPanel } from "./retrieval.js";
import { Notice, RunActions, RunMade, RunTitle } from "./run_bar.js";
import { Stage } from "./stage.js";
import { Store } from "./store.js";
import { Story } from "./story.js";
import { RunSummary } from "./summary.js";
import { Tabs } from "./tabs.js";
import { TimelinePanel } from "./timeline_panel.js";
import { TriggerPanel } from "./trigger_panel.js";
import { Visits } from "./visits.js";
import { Watcher } from "./watcher.js";
import { WhyPanel } from "./why_panel.js";

/** @import { Context, Host, Panel } from "./page.js" */
/** @import { Drawings } from "./declared_panel.js" */
/** @import { Tab } from "./tabs.js" */
/** @import { Described, Packet } from "./types.js" */

const FULL = "The run was not taken: too many are waiting. Try again in a moment.";

const NARROW = matchMedia("(max-width: 900px)"); // there every panel but the text has a tab
const STAGED = new Set(["tree", "metrics"]); // in sight without one elsewhere
/** @type {Tab[]} */
const BEFORE = [
  ["tree", "Tree"],
  ["entropy", "Entropy"],
  ["retrieval", "Retrieval"],
  ["trigger", "Trigger"],
];
/** @type {Tab[]} */
const BEHIND = [
  ["timeline", "Time"],
  ["metrics", "Numbers"],
];

/** @param {Host} host */
export async function mount(host) {
  /** @type {Described[]} */
  const described = JSON.parse(host.props.panels || "[]");
  const page = new LivePage(host, described, await loadDrawings(host, described));
  place(host).append(page.element);
  page.attach(host);
}

class LivePage {
  /**
   * @param {Host} host
   * @param {Described[]} described
   * @param {Drawings} drawings
   */
  constructor(host, described, drawings) {
    const store = new Store();
    const floating = new Floating();
    const player = new Player(store, floating);
    const { scrubber, picker } = player;
    const glossary = new Glossary(host.props.glossary, floating);
    /** @type {Context} */
    const context = { host, store, scrubber, floating, glossary, picker, plotly: () => loadPlotly(host.plotly) };
    this.host = host;
    this.healing = false;
    this.store = store;
    this.served = Boolean(host.server);
    this.visits = this.served ? new Visits(host, store, scrubber) : null; // a saved page keeps nothing
    this.told = "";
    this.player = player;
    this.presentation = new Presentation(player);
    this.declared = described.map((panel) => new DeclaredPanel(context, panel, drawings));
    /** @type {Panel[]} */
    this.tabbed = [];
    /** @type {Tab[]} */
    const own = this.declared.map(({ id, tab }) => [id, tab]);
    this.tabs = new Tabs(
      [...BEFORE, ...own, ...BEHIND],
      (id) => this.show(id),
      (id) => this.tabbed.find((panel) => panel.id === id)?.element.scrollIntoView({ block: "nearest" }),
    );
    this.generation = store.generation;
    store.subscribe(() => this.changed());
    this.stage = new Stage(store, (panel, present) => this.showPresence(panel, present));
    this.element = this.build(context);
    glossary.title(this.element, (panel) => numbersHere(store, panel));
    this.pickFirst();
    NARROW.addEventListener("change", () => this.pickFirst());
  }

  pickFirst() {
    this.tabs.pick(NARROW.matches ? "tree" : "entropy");
  }

  /** @param {Context} context */
  build(context) {
    /** @param {Panel} panel */
    const placed = (panel) => {
      this.stage.add(panel);
      return panel.element;
    };
    /** @param {Panel} panel */
    const tabbed = (panel) => {
      this.tabbed.push(panel);
      panel.element.classList.add("rs-tab-panel");
      return placed(panel);
    };
    const head = [placed(new RunTitle()), placed(new RunActions(context))];
    const told = [placed(new RunMade(this.served && !context.host.props.page)), placed(new Story())];
    const { player } = this;
    for (const panel of player.panels) (panel === player.tree ? tabbed : placed)(panel);
    const side = [tabbed(new RunSummary(context)), placed(new WhyPanel(context))];
    const others = [new EntropyPanel(context), new RetrievalPanel(context), new TriggerPanel(context)];
    const element = h(
      "div",
      { class: "rs-live" },
      h(
        "div",
        { class: "rs-bar" },
        h("div", { class: "rs-bar-head" }, head),
        told,
        h("div", { class: "rs-bar-body" }, player.track, placed(new Notice())),
      ),
      h(
        "div",
        { class: "rs-grid" },
        player.screen,
        h("div", { class: "rs-side" }, side),
        this.tabs.element,
        [...others, ...this.declared, new TimelinePanel(context)].map(tabbed),
      ),
      placed(this.presentation),
    );
    player.within(element);
    return element;
  }

  /** @param {Host} host */
  attach(host) {
    installKeys(this);
    bus.on("run", ({ stream }) => {
      if (NARROW.matches) this.element.scrollIntoView({ behavior: reducedMotion() ? "auto" : "smooth" });
      this.store.setFollow(true);
      this.store.expect(stream);
    });
    bus.on("torun", () => this.player.scrubber.playing.button.focus());
    bus.on("giveup", () => this.store.giveUp());
    bus.on("refused", () => (this.store.waiting ? this.store.giveUp(FULL) : this.store.lose()));
    if (host.server) new Watcher(host.server, this.store).start();
    this.visits?.start();
    const themes = new MutationObserver(() => this.stage.repaint());
    themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    void document.fonts.ready.then(() => this.stage.repaint());
    const pictures = new Pictures((...packets) => this.store.receive(...packets));
    onValue(host, (/** @type {Packet} */ packet) => {
      if (!this.visits?.precedes(packet)) pictures.take(packet);
    });
  }

  changed() {
    const { store } = this;
    if (store.generation !== this.generation) {
      this.generation = store.generation;
      this.player.scrubber.playing.pause();
      if (store.run && !store.running) this.open();
    }
    if (store.lacking && !this.healing) void this.heal();
    if (store.run || store.hint || store.error) settled();
    this.tellShown();
    this.element.toggleAttribute("data-empty", !store.steps.length && !store.pending);
    if (store.state === this.element.dataset.state) return;
    const ended = this.element.dataset.state === "running" && store.state === "idle" && store.run;
    this.element.dataset.state = store.state;
    bus.emit("state", store.state);
    if (ended) void this.visits?.keep(true);
  }

  /** A part of the run was lost on the way: the server still has it. */
  async heal() {
    this.healing = true;
    const packets = await this.host.server?.whole(this.store.stream).catch(() => null);
    this.healing = false;
    this.store.heal(JSON.parse(packets ?? "[]"));
  }

  /** What a link to this view names. */
  tellShown() {
    const { showcase, round } = this.store;
    const run = this.store.run?.run_id ?? "";
    const token = chosenToken(this.store);
    const key = `${showcase} ${run} ${round} ${token}`;
    if (key === this.told) return;
    this.told = key;
    bus.emit("shown", { showcase, run, round, token });
  }

  /** Another run is there as a whole: it plays by itself if it should. */
  open() {
    const { place } = this.store;
    void this.visits?.keep(false);
    if (place.round !== null || place.token !== null) return this.goTo(place);
    const play = this.store.autoplay && !reducedMotion();
    this.store.setFollow(!play);
    if (!play) return;
    this.store.look(0);
    this.player.scrubber.playing.start();
  }

  /** @param {{ round: number | null, token: number | null }} place of a link */
  goTo({ round, token }) {
    const known = token !== null && token < this.store.tokens.length ? token : null;
    this.store.setFollow(false);
    this.store.look(known === null ? (round ?? 0) : this.store.roundOfToken(known));
    if (known !== null) this.store.pin(selected(this.store, { token: known }));
  }

  /**
   * @param {Panel} panel
   * @param {boolean} present
   */
  showPresence({ id }, present) {
    if (this.tabs.setPresent(id, present)) this.pickFirst();
  }

  /** @param {string} id of the panel in the place that they share */
  show(id) {
    for (const { element, id: own } of this.tabbed)
      element.classList.toggle("is-picked", own === id || (STAGED.has(own) && !NARROW.matches));
  }
}

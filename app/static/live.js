// The Live page: keeps what it was sent, draws the round the reader looks at, never asks the server to step.

import { fill, h, reducedMotion } from "./dom.js";
import { nodeCard, tokenCard } from "./cards.js";
import { openTrace, savePage, saveTrace } from "./exchange.js";
import { loadDrawings } from "./drawings.js";
import { Figure, figurePanel, loadPlotly } from "./figures.js";
import { Floating } from "./floating.js";
import { installKeys } from "./keys.js";
import { MethodPanels } from "./method_panels.js";
import { RetrievalPanel } from "./retrieval.js";
import { Scrubber } from "./scrubber.js";
import { Store } from "./store.js";
import { RoundStrip, RunSummary } from "./summary.js";
import { phaseRows, tokenRows, treeRows, triggerRows } from "./tables.js";
import { TokenText } from "./tokens.js";

const TABS_BEFORE = [
    ["tree", "Tree"],
    ["retrieval", "Retrieval"],
    ["trigger", "Trigger"],
  ],
  TABS_BEHIND = [
    ["entropy", "Entropy"],
    ["timeline", "Time"],
    ["metrics", "Numbers"],
  ];

export async function mount(host) {
  const panels = JSON.parse(host.props.panels || "[]");
  await loadDrawings(panels, host.load);
  const page = new LivePage(host, panels);
  host.element.querySelector(".rs").append(page.element);
  page.attach();
  return page;
}

class LivePage {
  constructor(host, panels) {
    this.host = host;
    this.store = new Store();
    this.plotly = loadPlotly(host.plotly);
    this.floating = new Floating();
    this.scrubber = new Scrubber();
    this.strip = new RoundStrip();
    this.summary = new RunSummary(this.floating);
    this.retrieval = new RetrievalPanel();
    this.method = new MethodPanels(this, panels);
    this.text = new TokenText({
      onHover: (i, span) => this.floating.show(tokenCard(this.store, i), span.getBoundingClientRect()),
      onLeave: () => this.floating.hide(),
      onPick: (i) => {
        this.scrubber.go(this.store.roundOfToken(i));
        this.pin({ token: i });
      },
    });
    this.buildFigures();
    this.why = h(
      "section",
      { class: "rs-panel rs-panel-why", "aria-label": "Selected token" },
      h("header", {}, h("h2", { text: "Why this token" })),
    );
    this.whyBody = h("div", { class: "rs-why" });
    this.why.append(this.whyBody);
    this.notice = h("div", { class: "rs-notice", role: "status", "aria-live": "polite" });
    this.build();
  }

  buildFigures() {
    const hover = (make) => ({
      onHover: (data, rect, p) => this.floating.show(make(data, p), rect),
      onLeave: () => this.floating.hide(),
    });
    this.tree = new Figure(this.plotly, {
      ...hover((id) => (this.pendingShown() ? null : nodeCard(this.store, this.scrubber.round, id))),
      onClick: (id) => this.pin({ node: id, round: this.scrubber.round }),
    });
    this.entropy = new Figure(this.plotly, {
      ...hover((i) => tokenCard(this.store, i)),
      onClick: (i) => {
        this.scrubber.go(this.store.roundOfToken(i));
        this.pin({ token: i });
      },
    });
    this.timeline = new Figure(this.plotly, {
      ...hover((round, p) => this.phaseNote(round, p)),
      onClick: (round) => {
        if (round >= 0) this.scrubber.go(round);
      },
    });
    this.trigger = new Figure(this.plotly, {});
    this.panels = {
      tree: figurePanel({
        id: "tree",
        title: "Draft tree",
        hint: "",
        figure: this.tree,
        rows: () => treeRows(this.store, this.scrubber.round),
      }),
      entropy: figurePanel({
        id: "entropy",
        title: "Entropy",
        hint: "◆ copies verified · ○ trigger fired · dashed: θ",
        figure: this.entropy,
        rows: () => tokenRows(this.store),
      }),
      timeline: figurePanel({
        id: "timeline",
        title: "Where the time went",
        hint: "number on a bar: tokens committed",
        figure: this.timeline,
        rows: () => phaseRows(this.store),
      }),
      trigger: figurePanel({
        id: "trigger",
        title: "Trigger",
        hint: "",
        figure: this.trigger,
        rows: () => triggerRows(this.store, this.scrubber.round),
      }),
    };
    this.lamp = h("p", { class: "rs-lamp" });
    this.panels.trigger.panel.insertBefore(this.lamp, this.trigger.scroll);
  }

  build() {
    const { tree, entropy, timeline, trigger } = this.panels;
    this.title = h("div", { class: "rs-run-title" });
    this.showcases = h("select", {
      class: "rs-showcases",
      "aria-label": "Recorded runs",
      on: {
        change: () => {
          this.host.trigger("showcase", { name: this.showcases.value });
          this.showcases.value = "";
        },
      },
    });
    this.file = h("input", {
      type: "file",
      accept: ".json,application/json",
      hidden: true,
      on: { change: () => openTrace(this.host, this.file) },
    });
    const action = (text, title, run) =>
      h("button", { type: "button", class: "rs-quiet", title, text, on: { click: run } });
    const served = Boolean(this.host.watch); // a saved page has nobody to ask
    this.actions = h(
      "div",
      { class: "rs-actions" },
      this.showcases,
      served && action("Open trace", "Open a trace file (JSON)", () => this.file.click()),
      action("Save trace", "Save this run as a trace file (JSON)", () => saveTrace(this.store)),
      served &&
        action("Save page", "Save this run as one HTML file that plays anywhere", () =>
          savePage(this.host, this.store),
        ),
      this.file,
    );
    this.tabs = h(
      "div",
      { class: "rs-tabs", role: "tablist", "aria-label": "Panels" },
      [...TABS_BEFORE, ...this.method.tabs, ...TABS_BEHIND].map(([id, label]) =>
        h("button", {
          type: "button",
          role: "tab",
          "data-tab": id,
          text: label,
          on: { click: () => this.showTab(id) },
        }),
      ),
    );
    this.element = h(
      "div",
      { class: "rs-live" },
      h(
        "div",
        { class: "rs-bar" },
        h("div", { class: "rs-bar-head" }, this.title, this.actions),
        h("div", { class: "rs-bar-body" }, this.scrubber.element, this.strip.element, this.notice),
      ),
      h(
        "div",
        { class: "rs-grid" },
        h("div", { class: "rs-center" }, this.text.element, tree.panel, this.retrieval.element),
        h("div", { class: "rs-side" }, this.summary.element, trigger.panel, this.why),
        this.tabs,
        this.method.elements("round"),
        entropy.panel,
        this.method.elements("run"),
        timeline.panel,
      ),
    );
    this.showTab("tree");
  }

  attach() {
    const { watch, props } = this.host;
    const take = (text) => {
      if (text) this.take(text);
    };
    watch?.("value", () => take(props.value));
    this.store.addEventListener("change", () => this.changed());
    this.store.addEventListener("waiting", () => {
      this.drawNotice();
      this.announce();
    });
    this.scrubber.addEventListener("round", () => this.drawRound());
    this.listShowcases();
    installKeys(this);
    document.addEventListener("respec:run", (event) => this.expect(event.detail.stream));
    document.addEventListener("respec:giveup", () => this.store.giveUp());
    document.addEventListener("respec:refused", () =>
      this.store.giveUp("The run was not taken: too many are waiting. Try again in a moment."),
    );
    new MutationObserver(() => this.redrawFigures()).observe(document.body, {
      attributes: true,
      attributeFilter: ["class"],
    });
    document.fonts?.ready.then(() => this.redrawFigures());
    take(props.value);
  }

  take(text) {
    this.store.receive(JSON.parse(text));
  }

  expect(stream) {
    this.scrubber.setFollow(true);
    this.store.expect(stream);
  }

  // Rounds arrive in bursts; drawing waits for the next frame and then draws once.
  changed() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  draw() {
    const { store } = this;
    const fresh = store.generation !== this.generation || store.tokens.length < this.drawnTokens;
    if (fresh) {
      this.generation = store.generation;
      this.drawnTokens = 0;
      this.text.reset(store.run);
      this.selected = null;
      this.drawTitle();
    }
    this.text.append(store.tokens.slice(this.drawnTokens));
    this.drawnTokens = store.tokens.length;
    if (fresh && !store.running) this.opened();
    else {
      this.scrubber.grow(store.steps.length, store.running || this.scrubber.follow);
      if (!(this.scrubber.follow && store.steps.length)) this.drawRound();
    }
    this.summary.draw(store.metrics);
    this.drawNotice();
    this.announce();
  }

  announce() {
    const { store } = this;
    const state = store.waiting ? "waiting" : store.running ? "running" : "idle";
    this.element.dataset.state = state;
    for (const control of this.actions.children) control.disabled = state !== "idle";
    document.dispatchEvent(new CustomEvent("respec:state", { detail: { state } }));
  }

  opened() {
    const play = this.store.autoplay && !reducedMotion();
    this.scrubber.setFollow(!play);
    this.scrubber.reset(this.store.steps.length, play ? 0 : this.store.steps.length - 1);
    if (play) this.scrubber.start();
  }

  drawTitle() {
    const { run, title } = this.store;
    const models = run?.models?.target;
    const made = models ? `${models.name} · ${models.device} ${models.dtype}` : "";
    fill(
      this.title,
      h("h1", { text: run ? run.title : "Live" }),
      run && h("span", { class: "rs-paper", text: run.paper }),
      h("span", { class: "rs-made", text: [title, made].filter(Boolean).join(" · ") }),
    );
  }

  drawNotice() {
    const { store } = this;
    const text =
      store.error ||
      store.progress?.text ||
      (store.waiting ? "waiting for the engine …" : store.hint) ||
      (store.missed ? "some updates were lost; the whole run follows at its end" : "");
    this.notice.textContent = text;
    this.notice.hidden = !text;
    this.notice.classList.toggle("is-error", Boolean(store.error));
    this.notice.style.setProperty("--share", store.progress ? String(store.progress.share) : "0");
  }

  pendingShown() {
    return this.store.pending && this.scrubber.follow;
  }

  drawRound() {
    const { store } = this;
    const round = this.scrubber.round,
      step = store.steps[round],
      view = store.views[round];
    const pending = this.pendingShown() ? store.pending : null;
    const last = round === store.steps.length - 1;
    this.text.showRound(round, last && store.running);
    this.strip.draw(view?.round, pending);
    this.drawTree(pending?.trees || view?.trees, pending ? store.steps.length : round);
    const pieces = this.allPieces(step);
    this.retrieval.draw(view?.retrieval, pieces, this.wouldHaveHit(step));
    this.text.mark(view?.retrieval?.spans[0]);
    this.drawTrigger(view?.trigger);
    this.method.draw(round, this.tabs);
    const shapes = this.bands(round);
    if (store.figures) {
      this.entropy.draw(store.figures.entropy, store.run.run_id, shapes.entropy);
      this.timeline.draw(store.figures.timeline, store.run.run_id, shapes.timeline);
    }
    for (const panel of Object.values(this.panels)) panel.refresh();
    this.drawWhy();
  }

  // How much of each candidate that was not sent equals what was written afterwards.
  wouldHaveHit(step) {
    const start = step ? this.store.starts[step.i] : 0;
    return Object.fromEntries(
      (step?.retrieval || [])
        .filter((hit) => !hit.proposed)
        .map((hit) => {
          let n = 0;
          while (n < hit.cont_ids.length && this.store.tokens[start + n]?.id === hit.cont_ids[n]) n += 1;
          return [hit.id, n];
        }),
    );
  }

  drawTree(trees, round) {
    if (!trees) return;
    const narrow = this.tree.scroll.clientWidth < 520 && trees.narrow;
    const nodes = this.store.steps[round]?.trees.final.length ?? 0;
    this.panels.tree.subtitle.textContent = this.pendingShown()
      ? "pending …"
      : nodes > 1
        ? `${nodes - 1} drafted · ◆ copied  ● model  ▲ diffusion  ■ recycled`
        : "no draft: plain decoding";
    this.tree.draw(narrow || trees.wide, `${this.store.run?.run_id}-${round}`);
  }

  drawTrigger(view) {
    const has = Boolean(view);
    this.panels.trigger.panel.classList.toggle("is-absent", !has);
    this.tabs.querySelector("[data-tab=trigger]").hidden = !has;
    if (!has) return;
    this.lamp.textContent = view.sentence;
    this.lamp.classList.toggle("is-lit", view.lit);
    this.trigger.draw(view.figure, this.store.run.run_id);
  }

  // The round's place on the two axes, as a pale band.
  bands(round) {
    const { store } = this;
    const step = store.steps[round];
    if (!step) return { entropy: [], timeline: [] };
    const band = (x0, x1) => [
      {
        type: "rect",
        xref: "x",
        yref: "paper",
        x0,
        x1,
        y0: 0,
        y1: 1,
        layer: "below",
        fillcolor: "var:band",
        line: { width: 0 },
      },
    ];
    const start = store.starts[round];
    let from = 0;
    for (let i = 0; i < round; i += 1) from += sum(store.steps[i].phase_ms);
    return {
      entropy: band(start - 0.5, start + step.commit.emitted_ids.length - 0.5),
      timeline: band(from, from + sum(step.phase_ms)),
    };
  }

  allPieces(step) {
    if (!step) return [];
    return [...this.store.run.prompt_pieces, ...this.store.tokens.map((token) => token.piece)];
  }

  pin(selected) {
    this.selected = selected;
    this.drawWhy();
  }

  // The pinned token or node; without one, the round's most telling token: the target's own.
  drawWhy() {
    const { store, selected } = this;
    const round = this.scrubber.round,
      step = store.steps[round];
    const chosen =
      selected && (selected.token !== undefined ? store.tokens[selected.token]?.round : selected.round) === round;
    let body = null;
    if (chosen)
      body = selected.token !== undefined ? tokenCard(store, selected.token) : nodeCard(store, round, selected.node);
    else if (step) {
      const relaxed = step.commit.path_node_ids.findIndex((id) => step.trees.final[id].outcome === "relaxed_accept");
      const rejected = step.trees.final.find((node) => node.outcome === "rejected");
      if (relaxed >= 0) body = tokenCard(store, store.starts[round] + relaxed);
      else
        body = rejected
          ? nodeCard(store, round, rejected.id)
          : tokenCard(store, store.starts[round] + step.commit.emitted_ids.length - 1);
    }
    fill(
      this.whyBody,
      body || h("p", { class: "rs-empty", text: "Point at a token or a node; click to keep it here." }),
    );
  }

  phaseNote(round, point) {
    if (round < 0) return h("div", { class: "rs-note", text: "plain decoding of the same prompt, measured here" });
    const name = point.data.name,
      ms = point.x - point.base;
    return h(
      "div",
      { class: "rs-note" },
      h("strong", { text: `round ${round + 1} · ${name}` }),
      h("p", { text: `${(point.data.x[point.pointIndex] ?? ms).toFixed(2)} ms` }),
    );
  }

  redrawFigures() {
    for (const figure of [this.tree, this.entropy, this.timeline, this.trigger, ...this.method.figures()])
      figure.flush();
  }

  showTab(id) {
    this.element.dataset.tab = id;
    this.method.pick(id);
    for (const tab of this.tabs.children) tab.setAttribute("aria-selected", String(tab.dataset.tab === id));
    requestAnimationFrame(() => this.redrawFigures());
  }

  listShowcases() {
    const runs = JSON.parse(this.host.props.showcases || "[]");
    this.showcases.hidden = !runs.length;
    fill(
      this.showcases,
      h("option", { value: "", text: "Recorded runs" }),
      runs.map((run) => h("option", { value: run.name, text: run.title })),
    );
  }
}

const sum = (phases) => Object.values(phases).reduce((total, ms) => total + ms, 0);

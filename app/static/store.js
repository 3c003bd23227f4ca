// The trace as this page has received it. Packets are deltas; a lost one is noticed by its number, and the message that
// ends a run carries everything once more.

export class Store extends EventTarget {
  constructor() {
    super();
    this.clear();
    this.stream = "";
  }

  clear() {
    Object.assign(this, {
      run: null,
      steps: [],
      tokens: [],
      views: [],
      starts: [],
      figures: null,
      metrics: null,
      panels: {},
      pending: null,
      progress: null,
      error: "",
      hint: "",
      running: false,
      missed: false,
      title: "",
      autoplay: false,
      generation: (this.generation || 0) + 1,
    });
  }

  // Wait for a run of our own: packets of any other stream are stale from here on.
  expect(stream) {
    this.stream = stream;
    this.seq = 0;
    this.waiting = true;
    this.error = "";
    this.emit("waiting");
  }

  // Stopped or refused before anything came: what may still arrive is not wanted.
  giveUp(why = "") {
    if (!this.waiting) return;
    this.error = why;
    this.unwanted = this.stream;
    this.waiting = false;
    this.emit("waiting");
  }

  receive(packet) {
    if (packet.stream === this.unwanted) return;
    if (packet.stream !== this.stream) {
      if (this.waiting) return;
      this.stream = packet.stream;
      this.seq = 0;
    }
    if (packet.seq < this.seq) return;
    if (packet.seq > this.seq) this.missed = true;
    this.seq = packet.seq + 1;
    this.waiting = false;
    for (const message of packet.messages) this.apply(message);
    this.emit("change");
  }

  apply(message) {
    const lost = this.missed && (message.kind === "round" || message.kind === "draft");
    if (lost) return; // a hole would shift everything behind it; the end of the run brings it all
    this["on_" + message.kind]?.(message);
  }

  on_start({ run, figures }) {
    const missed = this.missed;
    this.clear();
    const progress = { text: `reading the prompt: ${run.prompt_ids.length} tokens`, share: 0 };
    Object.assign(this, { run, figures, missed, progress, running: true });
  }

  on_prefill({ done, total }) {
    this.progress = { text: `reading the prompt: ${done} of ${total} tokens`, share: total ? done / total : 1 };
  }

  on_draft({ i, trees, reason }) {
    this.progress = null;
    this.pending = { i, trees, reason };
  }

  on_round({ step, tokens, view, append }) {
    this.progress = null;
    this.pending = null;
    this.starts.push(this.tokens.length);
    this.steps.push(step);
    this.views.push(view);
    this.tokens.push(...tokens);
    for (const name of ["entropy", "timeline"]) extend(this.figures[name], append[name]);
  }

  on_metrics({ kind: _kind, ticks, panels, ...view }) {
    this.metrics = view;
    this.panels = panels || {};
    if (this.figures) this.figures.timeline.layout.yaxis.ticktext = ticks;
  }

  on_plain({ done, total }) {
    this.pending = null;
    const text = `timing run and plain decoding in turn, nothing drawn: ${done} of ${total} runs`;
    this.progress = { text, share: total ? done / total : 0 };
  }

  on_nothing({ text }) {
    this.clear();
    this.hint = text;
  }

  on_error({ text }) {
    this.error = text;
    this.running = false;
    this.progress = null;
    this.pending = null;
  }

  on_trace({ run, steps, tokens, views, figures, metrics, panels, title, autoplay }) {
    const same = this.run && this.run.run_id === run.run_id && this.running;
    if (!same) this.clear();
    let at = 0;
    const starts = steps.map((step) => {
      const start = at;
      at += step.commit.emitted_ids.length;
      return start;
    });
    Object.assign(this, {
      run,
      steps,
      tokens,
      views,
      starts,
      figures,
      metrics,
      panels: panels || {},
      title,
      autoplay,
      running: false,
      missed: false,
      progress: null,
      pending: null,
      error: "",
    });
  }

  // The trace file: the run's head with its steps and tokens, exactly as the engine recorded them.
  trace() {
    const { title: _title, paper: _paper, ...head } = this.run; // what the page adds
    return { ...head, steps: this.steps, tokens: this.tokens };
  }

  roundOfToken(index) {
    return this.tokens[index]?.round ?? 0;
  }

  emit(type) {
    this.dispatchEvent(new Event(type));
  }
}

function extend(figure, points) {
  figure.data.forEach((trace, i) => {
    for (const [name, values] of Object.entries(points[i])) trace[name].push(...values);
  });
}

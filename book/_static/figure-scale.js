// Time, memory and score of stored runs, as the reader moves landmarks, rank and exact steps.

(function () {
  "use strict";

  const { html, number } = window.infwalk.dom;
  const { Chart, Choice, Numbers, Slider, axis, colour, controls, define, follow, panel, words } = window.infwalk.charts;

  const KNOBS = { s: "landmarks s", h: "rank h", K: "exact steps K" };
  const percent = (share) => `${Math.round(100 * share)}%`;
  const memory = (bytes) => (bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(2)} GB`);
  const count = (x) => (x === null ? "–" : x.toLocaleString("en"));

  define("scale", class {
    constructor(root, data) {
      Object.assign(this, { root, data });
      this.state = { set: 0, run: data.sets[0].runs[0], along: "s", ratio: 0.5, metric: "micro" };
      const choice = (label, key) => new Choice(label, (value) => this.change({ [key]: value }));
      this.choices = { set: new Choice("graph and method", (set) => this.open(set)), metric: choice("score", "metric"), ratio: choice("training nodes", "ratio") };
      this.sliders = Object.fromEntries(Object.entries(KNOBS).map(([knob, label]) => [knob, new Slider(label, (value) => this.move(knob, value))]));
      this.cards = Object.fromEntries(["time", "memory", "score"].map((kind, k) => {
        const chart = new Chart(`${kind} of the stored runs`, { height: 210, onchoose: (point) => this.tell(point) });
        const title = html("p", { class: "pg-muted" }), value = html("output", { class: "ex-value" });
        const drawing = html("div", {}, chart.element);
        return [kind, { chart, title, value, drawing, colour: colour(k), element: html("div", { class: "ex-card" }, title, value, drawing) }];
      }));
      this.words = words();
      this.numbers = new Numbers();
      root.replaceChildren(panel(controls(...Object.values(this.choices).map(({ element }) => element)),
        html("div", { class: "ex-sliders" }, ...Object.values(this.sliders).map(({ element }) => element)),
        html("div", { class: "ex-cards" }, ...Object.values(this.cards).map(({ element }) => element)), this.words, this.numbers.element));
      follow(root, () => this.draw());
      this.open(0);
    }

    change(values) {
      Object.assign(this.state, values);
      this.draw();
    }

    get set() {
      return this.data.sets[this.state.set];
    }

    values(knob) {
      return [...new Set(this.set.runs.map((run) => run[knob]))].sort((a, b) => a - b);
    }

    // Another graph: the middle of what is stored for it.
    open(set) {
      this.state.set = set;
      const middle = Object.fromEntries(Object.keys(KNOBS).map((knob) => [knob, this.values(knob)[this.values(knob).length >> 1]]));
      const most = Object.keys(KNOBS).reduce((best, knob) => (this.values(knob).length > this.values(best).length ? knob : best), "s");
      const ratio = this.set.ratios.includes(this.state.ratio) ? this.state.ratio : this.set.ratios[0];
      this.change({ run: this.nearest(middle), along: most, ratio });
    }

    // The stored run nearest to a setting, in steps of the sliders; a knob that was moved has the last word.
    nearest(setting, moved = null) {
      const steps = (run) => Object.keys(KNOBS).reduce((total, knob) =>
        total + (knob === moved ? 1000 : 1) * Math.abs(this.values(knob).indexOf(run[knob]) - this.values(knob).indexOf(setting[knob])), 0);
      return this.set.runs.reduce((best, run) => (steps(run) < steps(best) ? run : best));
    }

    move(knob, value) {
      this.change({ along: knob, run: this.nearest({ ...this.state.run, [knob]: value }, knob) });
    }

    score(run) {
      const at = this.set.ratios.indexOf(this.state.ratio);
      return run[this.state.metric]?.[at] ?? run.nmi;
    }

    // The quantities that the cards show, each with its words and unit.
    quantities() {
      const { set, state } = this, f1 = set.runs.some((run) => run.micro);
      return {
        time: { title: set.time ?? "time", of: (run) => run.seconds, text: (x) => `${number(x)} s` },
        memory: { title: set.memory ?? "memory", of: (run) => run.bytes, text: memory, axis: (x) => (x >= 1e9 ? `${x / 1e9} GB` : `${Math.round(x / 1e6)} MB`) },
        score: f1 ? { title: `${state.metric}-F1 (%), ${percent(state.ratio)} training nodes, ${set.mean}`, of: (run) => this.score(run), text: (x) => x.toFixed(1) }
          : { title: "normalized mutual information", of: (run) => run.nmi, text: (x) => x.toFixed(3) },
      };
    }

    // The runs that differ from the chosen one in the knob that was moved last.
    get row() {
      const { run, along } = this.state, others = Object.keys(KNOBS).filter((knob) => knob !== along);
      return this.set.runs.filter((each) => others.every((knob) => each[knob] === run[knob])).sort((a, b) => a[along] - b[along]);
    }

    draw() {
      const { state, set } = this, { run, along } = state;
      this.choices.set.show(this.data.sets.map(({ label }, k) => [k, label]), state.set);
      this.choices.metric.show(set.ratios.length ? [["micro", "micro-F1"], ["macro", "macro-F1"]] : [], state.metric);
      this.choices.ratio.show(set.ratios.map((ratio) => [ratio, percent(ratio)]), state.ratio);
      for (const [knob, slider] of Object.entries(this.sliders)) {
        slider.element.hidden = run[knob] === null;
        slider.show(this.values(knob), run[knob], count);
      }
      const quantities = this.quantities();
      for (const [kind, card] of Object.entries(this.cards)) this.show(card, quantities[kind]);
      this.numbers.show([...Object.values(KNOBS), "time", "memory", quantities.score.title],
        set.runs.map((each) => [...Object.keys(KNOBS).map((knob) => count(each[knob])), ...Object.values(quantities).map(({ of, text }) => (of(each) === undefined ? "–" : text(of(each))))]));
      this.tell(null);
    }

    show(card, { title, of, text, axis: unit }) {
      const { run, along } = this.state, all = this.set.runs.map(of).filter((x) => x !== undefined);
      card.title.textContent = title;
      card.value.textContent = of(run) === undefined ? "not measured" : text(of(run));
      card.element.classList.toggle("ex-missing", !all.length);
      card.drawing.hidden = !all.length;
      if (!all.length) return;
      const row = this.row.filter((each) => of(each) !== undefined), knobs = this.values(along), log = knobs[0] > 0;
      const points = row.map((each) => ({ key: each[along], series: "row", x: each[along], y: of(each), words: text(of(each)), run: each, colour: card.colour, radius: each === run ? 7 : 4, kind: each === run ? "ex-now" : "" }));
      card.chart.marks.forEach((mark) => mark.remove());
      card.chart.marks.clear(); // their sizes change with the choice
      card.chart.draw({
        x: { ...axis(knobs, { log, room: 0.08 }), marks: knobs }, y: axis(all, { room: 0.1 }), points,
        lines: [{ path: points.map(({ x, y }) => [x, y]), colour: card.colour, kind: "ex-series" }],
        text: { below: KNOBS[along], left: "", x: count, y: unit },
      });
    }

    setting(run) {
      return Object.keys(KNOBS).filter((knob) => run[knob] !== null).map((knob) => `${knob} = ${count(run[knob])}`).join(", ");
    }

    tell(point) {
      const run = point?.run ?? this.state.run;
      const parts = Object.values(this.quantities()).filter(({ of }) => of(run) !== undefined).map(({ title, of, text }) => `${title}: ${text(of(run))}`);
      const missing = Object.values(this.quantities()).some(({ of }) => of(run) === undefined) ? " The rest was not measured for it." : "";
      this.words.replaceChildren(html("b", {}, `${this.setting(run)}.`), ` ${parts.join("; ")}.${missing}`);
    }
  });
})();

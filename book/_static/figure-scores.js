// F1 scores against the share of training nodes, with corrected intervals, and differences of two methods.

(function () {
  "use strict";

  const { html } = window.infwalk.dom;
  const { Chart, Choice, Numbers, Toggles, axis, colour, controls, define, follow, panel, words } = window.infwalk.charts;

  const MOST_BANDS = 3; // more of them hide each other
  const signed = (x) => (x < 0 ? "−" : "+") + Math.abs(x).toFixed(1);
  const percent = (ratio) => `${Math.round(100 * ratio)}%`;

  // Mean over splits and the interval of Nadeau and Bengio, as support.intervals.corrected_interval; t is
  // the quantile of Student's distribution that the page brings along.
  function interval(splits, ratio, t) {
    const n = splits.length, mean = splits.reduce((a, b) => a + b) / n;
    const variance = splits.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1);
    const half = t * Math.sqrt(variance * (1 / n + (1 - ratio) / ratio));
    return { mean, low: mean - half, high: mean + half, std: Math.sqrt((variance * (n - 1)) / n) };
  }

  define("scores", class {
    constructor(root, data) {
      Object.assign(this, { root, data, on: new Set(data.shown), pointed: null });
      this.state = { network: Object.keys(data.networks)[0], metric: "micro", way: Object.keys(data.ways)[0], reference: "" };
      const choice = (label, key) => new Choice(label, (value) => this.change({ [key]: value }));
      this.choices = {
        network: choice("network", "network"), way: choice("rows and penalty", "way"),
        metric: choice("score", "metric"), reference: choice("difference to", "reference"),
      };
      this.chart = new Chart("F1 against the share of training nodes, a line for each method", { height: 380, onchoose: (point) => this.point(point?.series ?? null) });
      this.toggles = new Toggles("methods", (keys, on) => {
        keys.forEach((key) => (on ? this.on.add(key) : this.on.delete(key)));
        this.draw();
      });
      this.words = words();
      this.numbers = new Numbers();
      root.replaceChildren(panel(controls(...Object.values(this.choices).map(({ element }) => element)), html("div", {}, this.chart.element), this.words, this.toggles.element, this.numbers.element));
      follow(root, () => this.draw());
      this.draw();
    }

    change(values) {
      Object.assign(this.state, values);
      this.draw();
    }

    // The series that is pointed at stands out, with its interval.
    point(series) {
      if (series === this.pointed) return this.tell();
      this.pointed = series;
      this.draw();
    }

    // The splits of a method by ratio, in percent; hundredths are stored.
    splits(method) {
      const { network, way, metric } = this.state;
      return this.data.networks[network][way]?.[method]?.[metric].map((row) => row.map((x) => x / 100));
    }

    // Mean and interval of a method, or of its difference to the reference, at each ratio.
    curve(method) {
      const { ratios, t } = this.data.ways[this.state.way], own = this.splits(method), other = this.splits(this.state.reference);
      return ratios.map((ratio, k) => ({ ratio, ...interval(own[k].map((x, j) => x - (other?.[k][j] ?? 0)), ratio, t) }));
    }

    draw() {
      const { state, data, on } = this, { methods } = data;
      this.choices.network.show(Object.keys(data.networks).map((name) => [name, data.labels[name]]), state.network);
      this.choices.way.show(Object.entries(data.ways).map(([key, { label }]) => [key, label]), state.way);
      this.choices.metric.show([["micro", "micro-F1"], ["macro", "macro-F1"]], state.metric);
      const stored = Object.keys(methods).filter((method) => this.splits(method));
      if (!stored.includes(state.reference)) state.reference = "";
      this.choices.reference.show([["", "none: the scores"], ...stored.map((method) => [method, methods[method]])], state.reference);
      const style = (method) => ({ colour: colour(data.styles[method][0]), kind: data.styles[method][1] });
      const shown = stored.filter((method) => on.has(method) && method !== state.reference);
      this.curves = new Map(shown.map((method) => [method, this.curve(method)]));
      const points = [...this.curves].flatMap(([method, curve]) => curve.map((each) =>
        ({ key: `${method} ${each.ratio}`, series: method, x: 100 * each.ratio, y: each.mean, each, words: methods[method], colour: style(method).colour, radius: 4, kind: this.quiet(method) })));
      const banded = this.pointed && this.curves.has(this.pointed) ? [this.pointed] : shown.length <= MOST_BANDS ? shown : [];
      const y = axis([...this.curves.values()].flat().flatMap(({ mean, low, high }) => (state.reference || shown.length <= MOST_BANDS ? [mean, low, high] : [mean])), { zero: Boolean(state.reference) });
      const clip = (v) => Math.min(y.high, Math.max(y.low, v));
      this.chart.draw({
        x: { low: 5, high: 95, marks: data.ways[state.way].ratios.map((ratio) => Math.round(100 * ratio)) }, y: points.length ? y : { low: 0, high: 1 }, points,
        lines: [...this.curves].map(([method, curve]) => ({ path: curve.map(({ ratio, mean }) => [100 * ratio, mean]), colour: style(method).colour, kind: `ex-series ${style(method).kind} ${this.quiet(method)}` })),
        bands: banded.map((method) => ({ colour: style(method).colour, low: this.curves.get(method).map(({ ratio, low }) => [100 * ratio, clip(low)]), high: this.curves.get(method).map(({ ratio, high }) => [100 * ratio, clip(high)]) })),
        text: { below: "training nodes (%)", left: `${state.metric}-F1 ${state.reference ? "difference" : "(%)"}`, zero: Boolean(state.reference) },
      });
      this.toggles.show(stored.map((method) => ({ key: method, words: methods[method], on: on.has(method), ...style(method) })), (method) => this.point(this.curves.has(method) ? method : null));
      const { ratios } = data.ways[state.way];
      this.numbers.show(["method", ...ratios.map(percent)], [...this.curves].map(([method, curve]) => [methods[method], ...curve.map((each) => this.value(each))]));
      this.tell();
    }

    quiet(method) {
      return this.pointed && this.curves.has(this.pointed) && this.pointed !== method ? "ex-quiet" : "";
    }

    value({ mean, low, high }) {
      const text = this.state.reference ? signed : (x) => x.toFixed(1).replace("-", "−");
      return `${text(mean)} [${text(low)}, ${text(high)}]`;
    }

    tell() {
      const { state, data } = this, point = this.chart.points.find(({ key }) => key === this.chart.chosen);
      const { n } = data.ways[state.way];
      if (!point)
        return this.words.replaceChildren(html("span", { class: "pg-muted" }, "Point at a line, or go there with the arrow keys, to read the mean over ",
          `${n} splits and its corrected 95% interval. To compare two methods choose one under “difference to”: both have the same splits, so the interval of the difference is shorter.`));
      const { each } = point, clear = each.low > 0 || each.high < 0;
      const words = state.reference
        ? ` less ${data.methods[state.reference]}, ${percent(each.ratio)} training nodes: ${this.value(each)} points of ${state.metric}-F1 over the same ${n} splits. The difference is ${clear ? "clear" : "not clear: its interval contains 0"}${clear ? ": its interval excludes 0" : ""}.`
        : `, ${percent(each.ratio)} training nodes: ${state.metric}-F1 ${each.mean.toFixed(1)}, corrected 95% interval [${each.low.toFixed(1)}, ${each.high.toFixed(1)}], standard deviation ${each.std.toFixed(1)} over ${n} splits.`;
      this.words.replaceChildren(html("b", {}, point.words), words);
    }
  });
})();

// The race: what a method costs against what it scores, and the Pareto front of those that are shown.

(function () {
  "use strict";

  const { html, number } = window.infwalk.dom;
  const { Chart, Choice, Numbers, Toggles, axis, colour, controls, define, follow, panel, words } = window.infwalk.charts;

  const COSTS = {
    seconds: { words: "seconds", label: "seconds for the embedding", cheaper: "faster", text: (x) => `${number(x)} s` },
    bytes: { words: "memory", label: "peak memory, MB", cheaper: "smaller", text: (x) => `${Math.round(x).toLocaleString("en")} MB` },
  };
  const cost = (run, kind) => (kind === "bytes" ? run.bytes / 1e6 : run.seconds);
  const percent = (share) => `${Math.round(100 * share)}%`;

  // What nothing else beats in both cost and score, the cheapest first.
  function front(points) {
    let best = -Infinity;
    return [...points].sort((a, b) => a.x - b.x || b.y - a.y).filter(({ y }) => y > best && ((best = y), true));
  }

  define("race", class {
    constructor(root, data) {
      Object.assign(this, { root, data, off: new Set(), pointed: null });
      this.state = { network: Object.keys(data.networks)[0], cost: "seconds", metric: "micro", ratio: 0.5, rows: null, choice: null };
      const choice = (label, key) => new Choice(label, (value) => this.change({ [key]: value }));
      this.choices = {
        network: choice("network", "network"), rows: choice("rows", "rows"), choice: choice("penalty", "choice"),
        ratio: choice("training nodes", "ratio"), metric: choice("score", "metric"), cost: choice("cost", "cost"),
      };
      this.chart = new Chart("Cost against score, a point for each method, and the Pareto front", { height: 400, onchoose: () => this.tell() });
      this.toggles = new Toggles("methods (filled: infwalk; hollow: others)", (keys, on) => {
        keys.forEach((key) => (on ? this.off.delete(key) : this.off.add(key)));
        this.draw();
      });
      this.words = words();
      this.numbers = new Numbers();
      const drawing = html("div", {}, this.chart.element);
      root.replaceChildren(panel(controls(...Object.values(this.choices).map(({ element }) => element)), drawing, this.words, this.toggles.element, this.numbers.element));
      follow(root, () => this.draw());
      this.draw();
    }

    change(values) {
      Object.assign(this.state, values);
      this.draw();
    }

    get runs() {
      return this.data.networks[this.state.network].methods;
    }

    // What can be chosen on this network: the keys that some run has at each level of its scores.
    offer(key, options, words = (value) => value) {
      const { state } = this;
      if (!options.includes(state[key])) state[key] = options[0];
      this.choices[key].show(options.map((value) => [value, words(value)]), state[key]);
    }

    offers() {
      const { state, data } = this, all = (pick) => [...new Set(Object.values(this.runs).flatMap(pick))];
      this.offer("network", Object.keys(data.networks), (name) => data.networks[name].label);
      this.offer("rows", all(({ scores }) => Object.keys(scores)));
      this.offer("choice", all(({ scores }) => Object.keys(scores[state.rows] ?? {})));
      this.offer("ratio", all(({ scores }) => scores[state.rows]?.[state.choice]?.["train ratios"] ?? []), percent);
      this.offer("metric", ["micro", "macro"], (name) => `${name}-F1`);
      this.offer("cost", Object.keys(COSTS), (name) => COSTS[name].words);
    }

    // The score of a run by the choices, or by others: mean and standard deviation, or null.
    score(run, { rows, choice } = this.state) {
      const found = run.scores[rows]?.[choice], at = found?.["train ratios"].indexOf(this.state.ratio) ?? -1;
      return at < 0 ? null : { mean: found[this.state.metric][at], std: found[`${this.state.metric} std`]?.[at] };
    }

    draw() {
      this.offers();
      const { state, runs, off } = this, { label } = COSTS[state.cost];
      const entered = Object.entries(runs).filter(([, run]) => this.score(run) && cost(run, state.cost) > 0);
      this.points = entered.filter(([key]) => !off.has(key)).map(([key, run]) => ({
        key, series: key, x: cost(run, state.cost), y: this.score(run).mean, words: run.label, run,
        colour: colour(run.ours ? 0 : 2), radius: 6, kind: run.ours ? "" : "ex-other",
      }));
      this.best = front(this.points);
      // One scale for all ways to score, so that what moves is the score and not the axis.
      const ways = entered.flatMap(([, run]) => Object.entries(run.scores).flatMap(([rows, each]) => Object.keys(each).map((choice) => this.score(run, { rows, choice })?.mean)));
      const x = axis(entered.map(([, run]) => cost(run, state.cost)), { log: true }), y = axis(ways.filter((each) => each !== undefined));
      const stairs = this.best.flatMap(({ x: at, y: score }, k) => [[at, score], [this.best[k + 1]?.x ?? x.high, score]]);
      this.chart.draw({
        x, y, points: this.points, lines: stairs.length ? [{ path: stairs, kind: "ex-front" }] : [],
        marked: this.best.map(({ key }) => key), text: { below: label, left: `${state.metric}-F1 (%)` },
      });
      this.toggles.show(entered.map(([key, run]) => ({ key, words: run.label, colour: colour(run.ours ? 0 : 2), kind: run.ours ? "" : "ex-other", on: !off.has(key) })));
      const table = [...this.points].sort((a, b) => a.x - b.x);
      this.numbers.show(["method", "seconds", "MB", `${state.metric}-F1`, "on the front"], table.map((point) =>
        [point.words, number(point.run.seconds), Math.round(point.run.bytes / 1e6).toLocaleString("en"), this.value(point.run), this.best.includes(point) ? "yes" : "no"]));
      this.tell();
    }

    value(run) {
      const { mean, std } = this.score(run);
      return mean.toFixed(1) + (std === undefined ? "" : ` ± ${std.toFixed(1)}`);
    }

    get way() {
      const { rows, choice, ratio } = this.state;
      return `${rows}, ${choice}, ${percent(ratio)} training nodes`;
    }

    tell() {
      const point = this.points.find(({ key }) => key === this.chart.chosen), { state } = this;
      if (!point) {
        const range = Math.max(...this.points.map(({ y }) => y)) - Math.min(...this.points.map(({ y }) => y));
        const text = this.points.length
          ? ` ${this.best.map((each) => each.words).join("; ")}. ${this.points.length} methods are shown; best and worst are ${range.toFixed(1)} points apart (${this.way}).`
          : " empty, as no method is shown.";
        return this.words.replaceChildren(html("b", {}, "The front, cheapest first:"), text);
      }
      const { run } = point, splits = this.data.networks[state.network].splits[state.choice];
      const spread = this.score(run).std === undefined || splits < 2 ? "" : `, mean and standard deviation over ${splits} splits`;
      const above = this.best.filter(({ x, y }) => x <= point.x && y >= point.y).at(-1);
      const where = this.best.includes(point) ? "It is on the front."
        : `Not on the front: ${above.words} is ${above.x < point.x ? COSTS[state.cost].cheaper : "as cheap"} and scores ${above.y.toFixed(1)}.`;
      this.words.replaceChildren(html("b", {}, `${point.words}.`),
        ` ${COSTS.seconds.text(run.seconds)}, ${COSTS.bytes.text(run.bytes / 1e6)}; ${state.metric}-F1 ${this.value(run)} (${this.way}${spread}). ${where}`);
    }
  });
})();

// Figures made of stored numbers: what they share. Each figure-<name>.js defines one of them.
//
// An element <div class="playground" data-figure="race"> becomes one. It holds its numbers as JSON in a
// script element, and what a reader without JavaScript sees: a table.

(function () {
  "use strict";

  const { html, svg } = window.infwalk.dom;
  const MARGIN = { left: 58, right: 16, top: 14, bottom: 46 };
  const NEAR = 40; // pixels; a pointer farther from all points chooses none
  const LETTER = 7.2; // pixels; the mean width of a letter at 13 pixels

  // ---- start ---------------------------------------------------------------------------------------

  const known = new Map();

  // Make figures of the elements that ask for a known one and are not one yet.
  function mount() {
    for (const root of document.querySelectorAll("[data-figure]:not([data-mounted])")) {
      const Figure = known.get(root.dataset.figure);
      if (!Figure) continue;
      const start = performance.now(), stored = root.querySelector("script[type='application/json']");
      root.dataset.mounted = "";
      root.infwalk = new Figure(root, stored && JSON.parse(stored.textContent));
      performance.measure("playground", { start });
    }
  }

  function define(name, Figure) {
    known.set(name, Figure);
    mount();
  }

  let count = 0;
  const unique = () => `ex${count++}`;

  // ---- controls ------------------------------------------------------------------------------------

  // A labelled choice. With one option there is nothing to choose, and it is hidden.
  class Choice {
    constructor(label, onchange) {
      const id = unique();
      this.select = html("select", { id, onchange: () => onchange(this.options[this.select.selectedIndex][0]) });
      this.element = html("div", { class: "ex-choice" }, html("label", { for: id }, label), this.select);
    }

    // Options are pairs of a value and its words.
    show(options, value) {
      this.options = options;
      this.element.hidden = options.length < 2;
      this.select.replaceChildren(...options.map(([each, words]) => {
        const option = html("option", {}, words);
        option.selected = each === value;
        return option;
      }));
    }
  }

  // Boxes to tick, one for each series.
  class Toggles {
    constructor(title, onchange) {
      this.onchange = onchange;
      this.boxes = html("div", { class: "ex-boxes" });
      this.element = html("fieldset", { class: "ex-toggles" }, html("legend", {}, title), this.boxes,
        html("div", { class: "ex-all" }, ...[["All", true], ["None", false]].map(([words, on]) =>
          html("button", { type: "button", onclick: () => this.onchange(this.series.map(({ key }) => key), on) }, words))));
    }

    // A series has a key, words, a colour and whether it is on; `enter` is told which one is pointed at.
    show(series, enter = () => {}) {
      const same = this.series?.map(({ key }) => key).join() === series.map(({ key }) => key).join();
      this.series = series;
      if (!same)
        this.boxes.replaceChildren(...series.map(({ key, words, colour, dash, kind }) => html("label",
          { style: `--series: ${colour}`, onpointerenter: () => enter(key), onpointerleave: () => enter(null) },
          html("input", { type: "checkbox", onchange: (event) => this.onchange([key], event.target.checked) }),
          html("span", { class: `ex-swatch ${kind ?? ""} ${dash ? "ex-dashed" : ""}`, "aria-hidden": "true" }), words)));
      this.boxes.querySelectorAll("input").forEach((box, k) => (box.checked = series[k].on));
    }
  }

  // A slider over a list of stored values; with one value it says so and stays where it is.
  class Slider {
    constructor(label, onchange) {
      const id = unique();
      this.input = html("input", { type: "range", id, min: 0, step: 1, oninput: () => onchange(this.values[Number(this.input.value)]) });
      this.output = html("output", { for: id });
      this.element = html("div", { class: "pg-slider" }, html("label", { for: id }, label), this.input, this.output);
    }

    show(values, value, text) {
      this.values = values;
      this.input.max = values.length - 1;
      this.input.value = values.indexOf(value);
      this.input.disabled = values.length < 2;
      this.input.setAttribute("aria-valuetext", text(value));
      this.output.textContent = text(value);
    }
  }

  // The numbers of a drawing as a table, folded away.
  class Numbers {
    constructor() {
      this.table = html("table", { class: "table ex-table" });
      this.element = html("details", { class: "ex-numbers" }, html("summary", {}, "The numbers as a table"),
        html("div", { class: "pst-scrollable-table-container", tabindex: 0, role: "region", "aria-label": "Table of the numbers" }, this.table));
    }

    show(header, rows) {
      const row = (tag, entries) => html("tr", {}, ...entries.map((entry) => html(tag, tag === "th" ? { scope: "col" } : {}, entry)));
      this.table.replaceChildren(html("thead", {}, row("th", header)), html("tbody", {}, ...rows.map((entries) => row("td", entries))));
    }
  }

  // ---- axes ----------------------------------------------------------------------------------------

  // An axis over values, with some room around them: { low, high, log }.
  function axis(values, { log = false, room = 0.06, zero = false } = {}) {
    const warped = values.map((x) => (log ? Math.log(x) : x));
    const low = Math.min(...warped, ...(zero ? [0] : [])), high = Math.max(...warped, ...(zero ? [0] : []));
    const more = room * (high - low) || (log ? 0.5 : 1);
    return log ? { low: Math.exp(low - more), high: Math.exp(high + more), log } : { low: low - more, high: high + more, log };
  }

  // Where the marks of an axis stand, about `wanted` of them.
  function ticks({ low, high, log }, wanted) {
    if (log) {
      const found = [];
      for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
        for (const digit of [1, 2, 5]) found.push(digit * 10 ** power);
      const inside = found.filter((x) => x >= low && x <= high);
      const decades = inside.filter((x) => Number.isInteger(Math.round(1e9 * Math.log10(x)) / 1e9));
      return inside.length > wanted && decades.length > 1 ? decades : inside;
    }
    const rough = (high - low) / wanted, unit = 10 ** Math.floor(Math.log10(rough));
    const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
    return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, k) => (Math.ceil(low / step) + k) * step);
  }

  const scale = ({ low, high, log }, from, to) => {
    const warp = log ? Math.log : (x) => x;
    return (x) => from + ((to - from) * (warp(x) - warp(low))) / (warp(high) - warp(low));
  };

  // ---- a chart -------------------------------------------------------------------------------------

  // Points and lines in the pixels of the page, so that letters keep their size at any width. Pointer,
  // touch and arrow keys choose a point; the figure tells it in words.
  class Chart {
    constructor(label, { height = 340, onchoose }) {
      Object.assign(this, { height, onchoose, points: [], chosen: null });
      this.parts = Object.fromEntries(["frame", "below", "marks", "labels", "ring"].map((name) => [name, svg("g", { class: `ex-${name}` })]));
      this.marks = new Map();
      this.element = svg("svg", {
        class: "ex-chart", role: "application", tabindex: 0, "aria-label": label,
        "aria-roledescription": "chart; arrow keys choose a point",
        onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
        onpointerleave: (event) => event.pointerType === "mouse" && this.choose(null),
        onkeydown: (event) => this.press(event),
      }, ...Object.values(this.parts));
    }

    get width() {
      return Math.max(240, this.element.parentElement?.clientWidth || 640);
    }

    // `points` have a key, x, y, a series, a colour and a kind; `lines` a path of [x, y] and a kind.
    draw({ x, y, points, lines = [], bands = [], text = {}, marked = [] }) {
      const { width, height } = this, { left, right, top, bottom } = MARGIN;
      this.element.setAttribute("viewBox", `0 0 ${width} ${height}`);
      this.element.setAttribute("height", height);
      this.across = scale(x, left, width - right);
      this.down = scale(y, height - bottom, top);
      this.frame(x, y, text, width);
      this.parts.below.replaceChildren(
        ...bands.map(({ low, high, colour }) => svg("path", { class: "ex-band", style: `--series: ${colour}`, d: `${this.path(low)}${this.path([...high].reverse()).replace("M", "L")}Z` })),
        ...lines.map(({ path, colour, kind }) => svg("path", { class: `ex-line ${kind ?? ""}`, style: colour && `--series: ${colour}`, d: this.path(path) })));
      this.place(points);
      this.label(points, marked);
      this.points = points;
      const still = this.chosen === null ? -1 : points.findIndex(({ key }) => key === this.chosen);
      this.chosen = still < 0 ? null : this.chosen;
      this.circle();
    }

    frame(x, y, text, width) {
      const { left, right, top, bottom } = MARGIN, { height } = this;
      const say = (value, words) => (words ? words(value) : String(Number(value.toPrecision(6)))).replace("-", "−");
      const xs = x.marks ?? ticks(x, width / 90), ys = ticks(y, 6);
      this.parts.frame.replaceChildren(
        svg("path", { class: "ex-grid", d: xs.map((v) => `M${this.across(v).toFixed(1)} ${top}V${height - bottom}`).join("") + ys.map((v) => `M${left} ${this.down(v).toFixed(1)}H${width - right}`).join("") }),
        svg("path", { class: "pg-axis", d: `M${left} ${top}V${height - bottom}H${width - right}` }),
        ...(y.low < 0 && y.high > 0 && text.zero ? [svg("path", { class: "ex-zero", d: `M${left} ${this.down(0).toFixed(1)}H${width - right}` })] : []),
        ...xs.map((v) => svg("text", { x: this.across(v), y: height - bottom + 18, "text-anchor": "middle" }, say(v, text.x))),
        ...ys.map((v) => svg("text", { x: left - 7, y: this.down(v) + 4.5, "text-anchor": "end" }, say(v, text.y))),
        svg("text", { class: "ex-title", x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle" }, text.below),
        svg("text", { class: "ex-title", x: 13, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 13 ${(top + height - bottom) / 2})` }, text.left));
    }

    path(places) {
      return places.map(([x, y], k) => `${k ? "L" : "M"}${this.across(x).toFixed(1)} ${this.down(y).toFixed(1)}`).join("");
    }

    // A mark stays the same element while its key does, so that it can move.
    place(points) {
      const now = new Set(points.map(({ key }) => key));
      for (const [key, mark] of this.marks) if (!now.has(key)) (mark.remove(), this.marks.delete(key));
      for (const point of points) {
        if (!this.marks.has(point.key)) {
          const mark = svg("circle", { r: point.radius ?? 5, cx: 0, cy: 0 });
          this.marks.set(point.key, mark);
          this.parts.marks.append(mark);
        }
        const mark = this.marks.get(point.key);
        mark.setAttribute("class", `ex-mark ${point.kind ?? ""}`);
        mark.style.setProperty("--series", point.colour);
        mark.style.transform = `translate(${this.across(point.x).toFixed(1)}px, ${this.down(point.y).toFixed(1)}px)`;
      }
    }

    // The names of some points, each beside its point where it covers neither another name nor the edge.
    label(points, marked) {
      const taken = points.map(({ x, y }) => [this.across(x) - 6, this.down(y) - 6, this.across(x) + 6, this.down(y) + 6]);
      const texts = [];
      for (const point of points.filter(({ key }) => marked.includes(key))) {
        const [cx, cy] = [this.across(point.x), this.down(point.y)], long = LETTER * point.words.length;
        const spots = [[9, -8, 0], [9, 17, 0], [-9, -8, -1], [-9, 17, -1], [0, -12, -0.5], [0, 23, -0.5]];
        const boxes = spots.map(([dx, dy, share]) => [cx + dx + share * long, cy + dy - 12, cx + dx + (share + 1) * long, cy + dy + 3]);
        const cost = (box) => taken.filter((each) => box[0] < each[2] && box[2] > each[0] && box[1] < each[3] && box[3] > each[1]).length;
        const inside = (box) => box[0] > MARGIN.left && box[2] < this.width && box[1] > 0 && box[3] < this.height - MARGIN.bottom;
        const k = boxes.findIndex((box) => inside(box) && !cost(box));
        if (k < 0) continue; // the words below the chart and the table have it
        taken.push(boxes[k]);
        texts.push(svg("text", { x: cx + spots[k][0], y: cy + spots[k][1], "text-anchor": { "0": "start", "-1": "end", "-0.5": "middle" }[spots[k][2]] }, point.words));
      }
      this.parts.labels.replaceChildren(...texts);
    }

    circle() {
      const point = this.points.find(({ key }) => key === this.chosen);
      this.parts.ring.replaceChildren(...(point ? [
        svg("path", { class: "ex-cross", d: `M${MARGIN.left} ${this.down(point.y).toFixed(1)}H${this.across(point.x).toFixed(1)}V${this.height - MARGIN.bottom}` }),
        svg("circle", { r: 9, cx: this.across(point.x), cy: this.down(point.y) })] : []));
    }

    choose(key) {
      if (key === this.chosen) return;
      this.chosen = key;
      this.circle();
      this.onchoose(this.points.find((point) => point.key === key) ?? null);
    }

    point(event) {
      const box = this.element.getBoundingClientRect(), [x, y] = [event.clientX - box.left, event.clientY - box.top];
      let best = null, least = NEAR;
      for (const point of this.points) {
        const distance = Math.hypot(this.across(point.x) - x, this.down(point.y) - y);
        if (distance < least) [best, least] = [point.key, distance];
      }
      this.choose(best);
    }

    // Left and right: along the series if it has several points, or else from point to point by x. Up
    // and down: from point to point by y, among those at the same x if there are several.
    press(event) {
      const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1 }[event.key];
      if (event.key === "Escape") return this.choose(null);
      if (!step) return;
      event.preventDefault();
      event.stopPropagation(); // the page has no use for it
      if (!this.points.length) return;
      const upright = event.key === "ArrowUp" || event.key === "ArrowDown";
      const now = this.points.find(({ key }) => key === this.chosen) ?? null;
      const alike = now ? this.points.filter((point) => (upright ? point.x === now.x : point.series === now.series)) : [];
      const among = [...(alike.length > 1 ? alike : this.points)].sort((a, b) => (upright ? a.y - b.y || a.x - b.x : a.x - b.x || a.y - b.y));
      const at = now ? among.indexOf(now) + step : 0;
      this.choose(among[Math.min(among.length - 1, Math.max(0, at))].key);
    }
  }

  // Draw again when the width or the theme changes.
  function follow(root, draw) {
    let width = root.clientWidth;
    new ResizeObserver(() => {
      if (root.clientWidth === width) return;
      width = root.clientWidth;
      draw();
    }).observe(root);
  }

  // Colours of series: those of the book's figures, named so that the dark theme sets them anew.
  const colour = (k) => `var(--ex-series-${k % 8})`;

  const words = () => html("p", { class: "pg-words ex-words", "aria-live": "polite" });
  const panel = (...children) => html("div", { class: "pg-panel ex-panel" }, ...children);
  const controls = (...children) => html("div", { class: "ex-controls" }, ...children);

  window.infwalk.charts = { Chart, Choice, Numbers, Slider, Toggles, axis, colour, controls, define, follow, mount, panel, words };
})();

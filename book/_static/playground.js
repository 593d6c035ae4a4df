// The playground and the explorable figures of the chapters: a graph and linked views of its walk.
//
// An element <div class="playground" data-panels="walk limit" data-preset="karate"> becomes one. All of
// them are the same program with other panels. The attributes: `panels` (names of VIEWS), `preset`,
// `edit` (the reader may change the graph), `state` (such as "T=20&k=3"), `share` (keep the state in the
// address of the page), `windows="real"` (T from 0.1 to infinity, where no panel needs whole steps),
// `names` (labels of some nodes in the plane, such as "0:instructor"), `stage="none"` (no drawing of the
// graph).

(function () {
  "use strict";

  const { dom, linalg, graphs } = window.infwalk;
  const { button, html, number, plural, set, svg, theme } = dom;
  const { MOST_NODES, PRESETS } = graphs;
  const SIZE = 480; // of the square drawings, in units of their view box
  const HEIGHT = 320; // of the plane of the embedding
  const MARGIN = 34;
  const MOST_STEPS = 60;
  const DOUBLE_TAP = 400; // milliseconds
  const DRAG = 6; // pixels; less is a click
  const REACH = 7; // how near to an edge the pointer must be, in units of the view box
  const PAUSE = 150; // milliseconds without a new graph after which the curves over all windows follow

  // Whole windows whose sums of powers follow from one another: all up to 32, then four per octave.
  const WHOLE_WINDOWS = Array.from({ length: 32 }, (_, k) => k + 1);
  for (let base = 32; base < 1024; base *= 2)
    for (const share of [1.25, 1.5, 1.75, 2]) WHOLE_WINDOWS.push(base * share);
  const REAL_WINDOWS = Array.from({ length: 121 }, (_, k) => 10 ** (-1 + k / 30)).concat(Infinity);
  const JUMPS = 0.05; // the share of steps that go to a random node, where the reader asks for jumps
  const QUANTILES = Array.from({ length: 95 }, (_, k) => (k + 5) / 100);

  const MAPS = {
    log: { label: "log max(ε, 1 + x/T)", ramp: linalg.EPS },
    positive: { label: "log max(1, 1 + x/T)", ramp: 1 },
    none: { label: "none: factor M∞ itself" },
    binary: { label: "threshold: factor B" },
  };

  // ---- small helpers -------------------------------------------------------------------------------

  // A sentence with its symbols set as such: M_T becomes an italic M with a subscript T.
  const SYMBOL = /(M_T|M∞|v_G|λ₂|λ\*|L⁺|(?<![\w’“])[TkqxBcvP](?![\w’”]))/;
  function typeset(text) {
    return text.split(SYMBOL).map((part, k) => {
      if (k % 2 === 0) return part;
      const [letter, below] = part === "M∞" ? ["M", "∞"] : part.split("_");
      return html("span", { class: "pg-symbol" }, html("i", {}, letter), below ? html("sub", {}, below) : null);
    });
  }

  // A line of text below a drawing.
  class Line {
    constructor() {
      this.element = html("p", { class: "pg-state" });
    }

    set text(words) {
      this.element.replaceChildren(...typeset(words));
    }
  }

  function sum(n, term) {
    let total = 0;
    for (let i = 0; i < n; i++) total += term(i);
    return total;
  }

  // Stops of the two colour scales, from the most negative value over zero to the most positive one.
  const SCALES = {
    light: ["#3b1a6b", "#8073ac", "#cfcbe3", "#fbfaf7", "#fdd29a", "#e08214", "#8a4302"],
    dark: ["#d8ccff", "#9d8be0", "#4b4080", "#171b22", "#6b4312", "#df8a26", "#ffdca8"],
  };

  const parse = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

  // A colour as a pixel of an image: four bytes in the order of the machine.
  const packed = (colour) => new Uint32Array(Uint8Array.from([...colour, 255]).buffer)[0];

  function palette(mode) {
    const stops = SCALES[mode].map(parse), last = stops.length - 1;
    return Array.from({ length: 256 }, (_, k) => {
      const place = (k / 255) * last, from = Math.min(Math.floor(place), last - 1);
      return stops[from].map((x, c) => Math.round(x + (place - from) * (stops[from + 1][c] - x)));
    });
  }

  const any = (changed, ...keys) => keys.some((key) => changed.has(key));
  const EVERYTHING = { has: () => true };

  function nearest(windows, T) {
    const distance = (x) => Math.abs(Math.atan(x / 20) - Math.atan(T / 20));
    return windows.reduce((best, x) => (distance(x) < distance(best) ? x : best));
  }

  // ---- the application -----------------------------------------------------------------------------

  class App {
    constructor(root, id) {
      this.root = root;
      this.id = id;
      this.editable = "edit" in root.dataset;
      this.windows = root.dataset.windows === "real" ? REAL_WINDOWS : WHOLE_WINDOWS;
      this.panels = (root.dataset.panels ?? "").split(/\s+/).filter((name) => name in VIEWS);
      this.state = {
        preset: root.dataset.preset ?? "karate", values: {}, graph: null,
        T: 10, k: 3, q: 0.8, map: "log", start: 0, jumps: 0, hover: null, selected: null, connecting: null,
      };
      this.changed = new Set();
      this.memo = new Map();
      this.version = 0; // of the theme and the width
      this.read(root.dataset.state ?? "");
      if ("share" in root.dataset) this.read(location.hash.slice(1));
      this.state.graph ??= graphs.preset(this.state.preset, this.state.values);
      this.build();
      this.listen();
      this.render();
    }

    build() {
      const stage = html("div", { class: "pg-stage" }), panels = html("div", { class: "pg-panels" });
      const bare = this.root.dataset.stage === "none";
      this.root.replaceChildren(...(bare ? [panels, stage] : [stage, panels]));
      this.views = [
        ...(this.editable ? [new VIEWS.presets(this, stage)] : []),
        ...(bare ? [] : [new VIEWS.graph(this, stage), new VIEWS.notices(this, stage)]),
        new VIEWS.inspector(this, stage),
        ...this.panels.map((name) => new VIEWS[name](this, panels)),
      ];
    }

    listen() {
      const restyle = () => {
        this.version++;
        this.change({}, "theme");
      };
      const observer = new MutationObserver(restyle);
      observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
      observer.observe(document.body, { attributeFilter: ["data-jp-theme-light"] });
      let width = this.root.clientWidth;
      new ResizeObserver(() => {
        if (this.root.clientWidth === width) return;
        width = this.root.clientWidth;
        restyle();
      }).observe(this.root);
      if (!("share" in this.root.dataset)) return;
      window.addEventListener("hashchange", () => {
        if (location.hash.slice(1) === this.written) return;
        this.read(location.hash.slice(1));
        this.change({ graph: this.state.graph }, "preset", "T", "k", "q", "map", "start");
      });
    }

    // Change the state and draw soon. A new graph makes all that was computed of the old one void.
    change(values, ...also) {
      for (const key of [...Object.keys(values), ...also]) this.changed.add(key);
      Object.assign(this.state, values);
      if ("graph" in values) {
        this.memo.clear();
        this.state.start = Math.min(this.state.start, Math.max(0, this.n - 1));
        if (!("hover" in values)) this.state.hover = null;
      }
      if (this.scheduled) return;
      this.scheduled = true;
      requestAnimationFrame(() => this.flush());
    }

    render() {
      const start = performance.now(), first = !this.drawn, changed = first ? EVERYTHING : this.changed;
      const detail = [...this.changed];
      this.changed = new Set();
      this.scheduled = false;
      this.drawn = true;
      for (const view of this.views) view.draw(changed);
      performance.measure("playground", { start, detail });
      if (!first && "share" in this.root.dataset) this.write();
    }

    // Draw what has changed now. An event that comes before the next frame must not find nodes that are gone.
    flush() {
      if (this.scheduled) this.render();
    }

    keep(name, compute) {
      if (!this.memo.has(name)) this.memo.set(name, compute());
      return this.memo.get(name);
    }

    get n() {
      return this.state.graph.names.length;
    }

    // The adjacency matrix of the graph as drawn.
    get adjacency() {
      return this.keep("adjacency", () => {
        const { n } = this, A = new Float64Array(n * n);
        for (const [i, j, weight] of this.state.graph.edges) A[i * n + j] = A[j * n + i] = weight;
        return A;
      });
    }

    // The weight of an edge between all pairs by which a share of the steps are jumps, as `teleport` in infwalk.
    get jumpWeight() {
      const { jumps } = this.state, volume = this.adjacency.reduce((total, x) => total + x, 0);
      return ((jumps / (1 - jumps)) * volume) / this.n ** 2;
    }

    get walk() {
      return this.keep("walk", () => {
        const { jumpWeight } = this;
        return new linalg.Walk(jumpWeight ? this.adjacency.map((x) => x + jumpWeight) : this.adjacency, this.n);
      });
    }

    // Let the walk jump, or stop it. Everything but the drawing changes.
    jump(jumps) {
      this.change({ jumps, graph: this.state.graph });
    }

    // Whether an edge list holds all nodes.
    get listed() {
      const ends = new Set(this.state.graph.edges.flatMap(([i, j]) => [i, j]));
      return ends.size === this.n;
    }

    // Whether the limit exists and a plane can hold the embedding.
    get sound() {
      return this.n >= 3 && this.walk.connected;
    }

    get binary() {
      return this.keep(`binary ${this.state.q}`, () => {
        const threshold = linalg.quantileElement(this.walk.pinv, this.state.q);
        return { threshold, B: this.walk.pinv.map((x) => (x >= threshold ? 1 : 0)) };
      });
    }

    // What the embedding depends on, besides the graph.
    get chosen() {
      const { T, q, map } = this.state;
      return `${map} ${map === "binary" ? q : map === "none" || T}`;
    }

    get embedding() {
      const { T, map } = this.state;
      return this.keep(`embedding ${this.chosen}`, () => {
        if (map === "binary") return linalg.embed(this.binary.B, this.n, 2);
        const { limit } = this.walk;
        return linalg.embed(map === "none" ? limit : linalg.logRamp(limit, T, MAPS[map].ramp), this.n, 2);
      });
    }

    // The order of rows and columns: by group, then along the second eigenvector.
    get order() {
      return this.keep("order", () => {
        const { groups: group, hues } = this.state.graph, { n } = this;
        const order = Array.from({ length: n }, (_, i) => i);
        if (hues || n < 3 || !this.walk.volume) return order;
        const along = this.walk.spectrum.vectors.subarray(n, 2 * n), sign = along[0] < 0 ? 1 : -1;
        return order.sort((i, j) => group[i] - group[j] || sign * (along[i] - along[j]) || i - j);
      });
    }

    name(i) {
      return this.state.graph.names[i];
    }

    // What the drawings of nodes depend on. A slider of a preset may change the edges alone.
    get nodes() {
      const { names, places, groups: group, hues } = this.state.graph;
      return this.keep("nodes", () => JSON.stringify([names, places, group, hues]));
    }

    colour(i) {
      const { hues, groups: group } = this.state.graph;
      return hues ? `hsl(${Math.round(360 * hues[i])} var(--pg-hue))` : `var(--pg-group-${group[i] % 6})`;
    }

    // ---- edits -------------------------------------------------------------------------------------

    edit(change, values = {}) {
      const graph = structuredClone(this.state.graph);
      change(graph);
      this.change({ preset: "drawn", connecting: null, ...values, graph });
    }

    addNode(place, neighbour = null) {
      const { n } = this;
      if (n >= MOST_NODES)
        return this.say(`The playground holds ${MOST_NODES} nodes. Delete one first, or use the module.`);
      this.edit((graph) => {
        let name = n;
        while (graph.names.includes(String(name))) name++;
        graph.names.push(String(name));
        graph.places.push(place.map((x) => Math.min(1, Math.max(0, x))));
        graph.groups.push(neighbour === null ? 0 : graph.groups[neighbour]);
        graph.hues?.push(neighbour === null ? 0 : graph.hues[neighbour]);
        if (neighbour !== null) graph.edges.push([neighbour, n, 1]);
      }, { selected: { node: n } });
    }

    deleteNode(i) {
      if (this.n <= 1) return this.say("The last node stays. Click the drawing to add more.");
      const kept = Array.from({ length: this.n }, (_, k) => k).filter((k) => k !== i);
      this.keepNodes(kept, { start: this.state.start - (this.state.start > i ? 1 : 0) });
    }

    keepLargestComponent() {
      const { component, count } = this.walk.structure;
      const sizes = Array.from({ length: count }, (_, c) => component.filter((x) => x === c).length);
      const largest = sizes.indexOf(Math.max(...sizes));
      this.keepNodes(component.flatMap((c, i) => (c === largest ? [i] : [])), { start: 0 });
    }

    keepNodes(kept, values) {
      this.edit((graph) => {
        for (const key of ["names", "places", "groups", "hues"])
          graph[key] = graph[key] && kept.map((i) => graph[key][i]);
        graph.edges = graph.edges
          .filter(([i, j]) => kept.includes(i) && kept.includes(j))
          .map(([i, j, weight]) => [kept.indexOf(i), kept.indexOf(j), weight]);
      }, { selected: null, ...values });
    }

    addEdge(a, b) {
      const [i, j] = [Math.min(a, b), Math.max(a, b)], selected = { edge: [i, j] };
      if (this.edgeAt(i, j)) this.change({ selected, connecting: null });
      else this.edit((graph) => void graph.edges.push([i, j, 1]), { selected });
    }

    deleteEdge([i, j]) {
      this.edit((graph) => {
        graph.edges = graph.edges.filter(([a, b]) => a !== i || b !== j);
      }, { selected: null });
    }

    setWeight([i, j], weight) {
      this.edit((graph) => {
        graph.edges.find(([a, b]) => a === i && b === j)[2] = weight;
      });
    }

    edgeAt(a, b) {
      const [i, j] = [Math.min(a, b), Math.max(a, b)];
      return this.state.graph.edges.find((edge) => edge[0] === i && edge[1] === j);
    }

    say(message) {
      this.message = message;
      this.change({}, "message");
    }

    // ---- the address of the page -------------------------------------------------------------------

    write() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        const link = this.link();
        if (link === this.written) return;
        this.written = link;
        history.replaceState(null, "", `#${link}`);
      }, 300);
    }

    link() {
      const { preset, values, graph, T, k, q, map, start, jumps } = this.state;
      const own = preset in PRESETS ? { preset, ...values } : graphs.encode(graph);
      return new URLSearchParams({ ...own, T, k, q, map, start, ...(jumps ? { jumps } : {}) }).toString();
    }

    // Take from a fragment what is sound in it, and leave the rest as it is.
    read(fragment) {
      const given = Object.fromEntries(new URLSearchParams(fragment)), { state } = this;
      if (given.preset in PRESETS) {
        state.preset = given.preset;
        Object.assign(state, { values: {}, jumps: 0 });
        for (const [key, , least, most] of PRESETS[given.preset].sliders) {
          const value = Number(given[key]);
          if (key in given && value >= least && value <= most) state.values[key] = value;
        }
        state.graph = graphs.preset(state.preset, state.values);
      } else if (given.edges !== undefined && given.places) {
        const graph = graphs.decode(given);
        if (graph) Object.assign(state, { preset: "drawn", graph, jumps: 0 });
      }
      const take = (key, sound) => {
        if (key in given && sound(Number(given[key]))) state[key] = Number(given[key]);
      };
      take("T", (x) => x > 0);
      state.T = nearest(this.windows, state.T);
      take("k", (x) => Number.isInteger(x) && x >= 0 && x <= MOST_STEPS);
      take("q", (x) => QUANTILES.includes(x));
      take("jumps", (x) => x === 0 || x === JUMPS);
      take("start", (x) => Number.isInteger(x) && x >= 0 && x < (state.graph?.names.length ?? MOST_NODES));
      if (given.map in MAPS) state.map = given.map;
    }
  }

  // ---- parts that several views use ----------------------------------------------------------------

  // A slider bound to one value of the state, with the value beside it.
  class Slider {
    constructor(app, label, { key, values, text, id }) {
      Object.assign(this, { app, key, values, text });
      const name = `${app.id}-${id ?? key}`;
      this.input = html("input", {
        type: "range", id: name, min: 0, max: values.length - 1, step: 1,
        oninput: () => app.change({ [key]: values[Number(this.input.value)] }),
      });
      this.output = html("output", { for: name });
      this.element = html("div", { class: "pg-slider" },
        html("label", { for: name }, label), this.input, this.output);
    }

    draw() {
      const value = this.app.state[this.key], text = this.text(value);
      this.input.value = this.values.indexOf(value);
      this.output.textContent = text;
      this.input.setAttribute("aria-valuetext", text);
    }
  }

  const windowSlider = (app, id) =>
    new Slider(app, "window T", { key: "T", id, values: app.windows, text: (T) => `T = ${number(T)}` });

  // A button that moves a slider step by step until it is pressed again or the end is reached.
  function playButton(app, slider, milliseconds) {
    let timer = null;
    const { values, key } = slider, at = () => Number(slider.input.value);
    const stop = () => {
      clearInterval(timer);
      timer = null;
      play.textContent = "Play";
    };
    const step = () => {
      if (at() + 1 >= values.length || !play.isConnected) stop();
      else app.change({ [key]: values[at() + 1] });
    };
    const play = button("Play", () => {
      if (timer) return stop();
      if (at() + 1 >= values.length) app.change({ [key]: values[0] });
      timer = setInterval(step, milliseconds);
      play.textContent = "Pause";
    });
    play.className = "pg-play";
    slider.input.addEventListener("pointerdown", stop);
    slider.input.addEventListener("keydown", stop);
    return play;
  }

  const sliderRow = (app, slider, milliseconds = 120) =>
    html("div", { class: "pg-row" }, slider.element, playButton(app, slider, milliseconds));

  // A matrix as coloured cells. Pointer and arrow keys choose the pair that all views show.
  class HeatMap {
    constructor(app, label) {
      this.app = app;
      this.canvas = html("canvas", {
        class: "pg-cells", tabindex: 0, role: "application", "aria-label": label,
        "aria-roledescription": "heat map; arrow keys choose a pair of nodes",
        onpointermove: (event) => this.point(event),
        onpointerdown: (event) => this.point(event),
        onpointerleave: (event) => event.pointerType === "mouse" && app.change({ hover: null }),
        onkeydown: (event) => this.press(event),
      });
      this.cells = document.createElement("canvas");
    }

    point(event) {
      const { n } = this.app, box = this.canvas.getBoundingClientRect();
      const [column, row] = [event.clientX - box.left, event.clientY - box.top].map((x) =>
        Math.min(n - 1, Math.max(0, Math.floor((x / box.width) * n))));
      this.choose(row, column);
    }

    choose(row, column) {
      const { order, state } = this.app, pair = [order[row], order[column]];
      if (state.hover?.join() !== pair.join()) this.app.change({ hover: pair });
    }

    press(event) {
      const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (event.key === "Escape") this.app.change({ hover: null });
      if (!move) return;
      event.preventDefault();
      event.stopPropagation(); // the page has no use for it
      const { order, n, state } = this.app;
      const at = (state.hover ?? [order[0], order[0]]).map((i) => order.indexOf(i));
      this.choose(...at.map((x, axis) => Math.min(n - 1, Math.max(0, x + move[axis]))));
    }

    // `limit` is where the colours saturate; null for a matrix draws nothing.
    draw(matrix, limit) {
      const { app, canvas, cells } = this, { n, order } = app, { pixels, colours, never, ink } = this.look();
      if (canvas.width !== pixels) canvas.width = canvas.height = pixels;
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, pixels, pixels);
      if (!matrix) return;
      cells.width = cells.height = n;
      const image = new ImageData(n, n), words = new Uint32Array(image.data.buffer);
      for (let row = 0; row < n; row++) {
        for (let column = 0; column < n; column++) {
          const x = matrix[order[row] * n + order[column]];
          const share = Math.min(1, Math.max(-1, x / limit));
          words[row * n + column] = x === -Infinity ? never : colours[Math.round(127.5 + 127.5 * share)];
        }
      }
      cells.getContext("2d").putImageData(image, 0, 0);
      context.imageSmoothingEnabled = false;
      context.drawImage(cells, 0, 0, pixels, pixels);
      if (app.state.hover) this.mark(context, pixels, ink);
    }

    // Size and colours. They are read once for each look of the page: reading makes the browser lay it out.
    look() {
      if (this.seen?.version !== this.app.version) {
        const style = getComputedStyle(this.app.root), value = (name) => style.getPropertyValue(name).trim();
        const pixels = Math.max(1, Math.round(this.canvas.clientWidth * (window.devicePixelRatio || 1)));
        const colours = palette(theme()).map(packed), never = packed(parse(value("--pg-never")));
        this.seen = { version: this.app.version, pixels, colours, never, ink: value("--pg-ink") };
      }
      return this.seen;
    }

    mark(context, pixels, ink) {
      const { app } = this, size = pixels / app.n;
      const [row, column] = app.state.hover.map((i) => app.order.indexOf(i) * size);
      context.strokeStyle = ink;
      context.lineWidth = Math.max(1, pixels / 400);
      context.globalAlpha = 0.45;
      context.strokeRect(-2, row, pixels + 4, size);
      context.strokeRect(column, -2, size, pixels + 4);
      context.globalAlpha = 1;
      context.lineWidth = Math.max(2, pixels / 150);
      context.strokeRect(column, row, size, size);
    }
  }

  const titled = (name, element) => html("div", {}, html("p", { class: "pg-name" }, ...typeset(name)), element);

  // Curves over a logarithmic vertical axis, with a marker; what is not positive is left out.
  class Plot {
    constructor(label, { x, y, floor, height = 224 }) {
      Object.assign(this, { x, floor });
      const [left, right, top, bottom] = [56, 446, 34, height - 54];
      this.area = { left, right, top, bottom };
      this.marks = svg("g");
      this.curves = svg("g");
      this.marker = svg("g", { class: "pg-marker" });
      this.element = svg("svg", { viewBox: `0 0 460 ${height}`, role: "img", "aria-label": label, class: "pg-plot" },
        svg("path", { class: "pg-axis", d: `M${left} ${top}V${bottom}H${right}` }),
        this.marks, this.curves, this.marker,
        svg("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, x.label),
        svg("text", { x: 4, y: 18 }, y));
    }

    draw(curves, at, level) {
      const { left, right, top, bottom } = this.area;
      const values = curves.flatMap(({ points }) => points.map(([, y]) => y)).filter((y) => y > 0 && y < Infinity);
      const low = Math.max(this.floor, 10 ** Math.floor(Math.log10(Math.min(...values, 1))));
      const high = 10 ** Math.ceil(Math.log10(Math.max(...values, low * 10)));
      const warp = this.x.log ? Math.log : (x) => x;
      const [first, last] = [this.x.low, this.x.high].map(warp);
      const across = (x) => left + ((right - left) * (warp(x) - first)) / (last - first);
      const down = (y) => bottom - ((bottom - top) * Math.log(y / low)) / Math.log(high / low);
      const inside = ([x, y]) => y >= low && y <= high && x >= this.x.low && x <= this.x.high;
      this.curves.replaceChildren(...curves.map(({ points, kind }) => {
        const steps = points.filter(inside).map(([x, y], k) => `${k ? "L" : "M"}${across(x).toFixed(1)} ${down(y).toFixed(1)}`);
        return svg("path", { class: `pg-curve ${kind}`, d: steps.join("") });
      }));
      const decades = Math.round(Math.log10(high / low)), every = Math.ceil(decades / 4);
      const levels = Array.from({ length: Math.floor(decades / every) + 1 }, (_, k) => high / 10 ** (k * every));
      this.marks.replaceChildren(
        ...levels.map((y) => svg("text", { x: left - 6, y: down(y) + 5, "text-anchor": "end" }, power(y))),
        ...this.x.ticks.map((x) => svg("text", { x: across(x), y: bottom + 20, "text-anchor": "middle" }, number(x))));
      this.marker.replaceChildren(
        svg("line", { x1: across(at), x2: across(at), y1: top, y2: bottom }),
        ...(inside([at, level]) ? [svg("circle", { cx: across(at), cy: down(level), r: 5 })] : []));
    }
  }

  const OVER_WINDOWS = { label: "window T", low: 1, high: 1024, log: true, ticks: [1, 10, 100, 1000] };
  const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  function power(x) {
    const exponent = Math.round(Math.log10(x));
    if (exponent >= -3 && exponent <= 3) return number(x);
    const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPTS[digit]);
    return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
  }

  const caption = (title, words) =>
    html("figcaption", {}, html("b", {}, ...typeset(title)), " ", ...typeset(words));
  const figure = (kind, ...children) => html("figure", { class: `pg-panel pg-${kind}` }, ...children);
  const legend = (...entries) =>
    html("p", { class: "pg-key" }, ...entries.map(([kind, words]) => html("span", {}, html("i", { class: `pg-${kind}` }), words)));
  const ALONE = "An edge list does not hold nodes without edges. Connect or delete them.";
  const NEEDS = "It needs a connected graph of three nodes.";

  const pixel = (x) => MARGIN + (SIZE - 2 * MARGIN) * x;
  const unpixel = (x) => (x - MARGIN) / (SIZE - 2 * MARGIN);
  function toSegment([x, y], [x1, y1], [x2, y2]) {
    const [dx, dy] = [x2 - x1, y2 - y1];
    const share = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
  }

  const rounded = (place) => place.map((x) => x.toFixed(1));

  // ---- the views -----------------------------------------------------------------------------------

  const VIEWS = {};

  // The choice of a preset, and its sliders.
  VIEWS.presets = class {
    constructor(app, parent) {
      this.app = app;
      const id = `${app.id}-preset`;
      this.select = html("select", { id, onchange: () => this.choose(this.select.value, {}) },
        ...Object.entries(PRESETS).map(([value, { label }]) => html("option", { value }, label)),
        html("option", { value: "drawn", hidden: true }, "Your own graph"));
      this.sliders = html("fieldset", { class: "pg-sliders", "aria-label": "Sliders of the preset" });
      this.inputs = [];
      parent.append(html("div", { class: "pg-presets" }, html("label", { for: id }, "graph"), this.select,
        button("Clear", () => this.clear())), this.sliders);
    }

    choose(preset, values) {
      if (!(preset in PRESETS)) return;
      const graph = graphs.preset(preset, values);
      this.app.change({ preset, values, selected: null, connecting: null, jumps: 0, graph });
    }

    clear() {
      const empty = { names: ["0"], places: [[0.5, 0.5]], groups: [0], hues: null, edges: [] };
      this.app.edit((graph) => void Object.assign(graph, empty), { selected: null, start: 0, jumps: 0 });
    }

    draw(changed) {
      if (!any(changed, "preset", "graph")) return;
      const { preset, values } = this.app.state;
      this.select.value = preset;
      // The sliders stay beside an edited graph, for the drawing must not move under the pointer.
      const own = !(preset in PRESETS);
      if (!own && this.shown !== preset) {
        this.shown = preset;
        this.inputs = PRESETS[preset].sliders.map((slider) => this.row(preset, ...slider));
        this.sliders.replaceChildren(...this.inputs.map(({ row }) => row));
      }
      this.sliders.disabled = own;
      for (const { key, start, input, output } of this.inputs) {
        if (!own) input.value = values[key] ?? start;
        output.textContent = own ? "–" : String(values[key] ?? start);
      }
    }

    row(preset, key, label, min, max, start, step) {
      const id = `${this.app.id}-preset-${key}`;
      const input = html("input", { type: "range", id, min, max, step,
        oninput: () => this.choose(preset, { ...this.app.state.values, [key]: Number(input.value) }) });
      const output = html("output", { for: id });
      return { key, start, input, output, row: html("div", { class: "pg-slider" }, html("label", { for: id }, label), input, output) };
    }
  };

  const KEYS =
    "Tab to the graph. Arrow keys go from node to node. Enter starts the walk there; N adds a neighbour; C on two " +
    "nodes connects them and Tab then leads to the weight; L adds or removes a loop; Delete deletes; Shift and an arrow key move the node. Or edit the " +
    "edge list at the end of the page.";

  // The drawing of the graph, which is also its editor.
  VIEWS.graph = class {
    constructor(app, parent) {
      this.app = app;
      this.parts = Object.fromEntries(["halos", "edges", "pair", "nodes"].map((name) =>
        [name, svg("g", { class: `pg-${name}` })]));
      this.rubber = svg("line", { class: "pg-rubber" });
      this.element = svg("svg", {
        viewBox: `0 0 ${SIZE} ${SIZE}`, class: "pg-graph", role: "group",
        "aria-label": app.editable ? "The graph; it can be edited" : "The graph",
      }, ...Object.values(this.parts), this.rubber);
      for (const kind of ["down", "move", "up", "cancel", "leave"])
        this.element.addEventListener(`pointer${kind}`, (event) => this[kind](event));
      // A finger on a node drags it. Elsewhere it scrolls the page; `touch-action` of a part of a drawing does not tell them apart.
      this.element.addEventListener("touchstart", (event) => {
        if (app.editable && event.target.closest("[data-node]")) event.preventDefault();
      }, { passive: false });
      this.element.addEventListener("keydown", (event) => this.press(event));
      this.element.addEventListener("focusin", (event) => {
        const node = event.target.dataset?.node;
        if (node !== undefined && event.target.matches(":focus-visible")) this.focus(Number(node));
      });
      this.tools = html("div", { class: "pg-tools" });
      const help = app.editable
        ? ["Click to add a node, drag from node to node to connect them, double-click to delete. Drop a node in the open to move it. ",
            html("details", {}, html("summary", {}, "By keyboard"), html("p", {}, KEYS))]
        : [app.panels.includes("walk") ? "Choose a node to start the walk there." : "Point at nodes and edges."];
      parent.append(html("section", { class: "pg-panel pg-editor", "aria-label": "Graph" },
        this.element, app.editable ? this.tools : null, html("div", { class: "pg-help" }, ...help)));
    }

    draw(changed) {
      if (any(changed, "graph", "theme")) this.lay();
      if (any(changed, "graph", "theme", "k", "start")) this.spread();
      if (any(changed, "graph", "theme", "hover", "selected", "start", "connecting")) this.light();
      if (any(changed, "graph", "selected")) this.tool();
    }

    // Draw the edges, and the nodes if they are others.
    lay() {
      const { graph } = this.app.state;
      const heaviest = Math.max(...graph.edges.map(([, , weight]) => weight), 1);
      const thin = Math.min(1, Math.sqrt(400 / graph.edges.length)); // so that many edges do not make one grey area
      const paths = new Map(); // one for each width: hundreds of elements would take too long
      for (const [i, j, weight] of graph.edges) {
        const width = (thin * (heaviest > 1 ? 0.8 + 3.5 * Math.sqrt(weight / heaviest) : 1.9)).toFixed(2);
        paths.set(width, (paths.get(width) ?? "") + this.path(i, j));
      }
      this.parts.edges.replaceChildren(...[...paths].map(([width, d]) => svg("path", { class: "pg-line", d, "stroke-width": width })));
      if (this.drawn !== this.app.nodes) this.layNodes();
      this.drawn = this.app.nodes;
      [...this.parts.nodes.children].forEach((node, i) =>
        node.setAttribute("aria-label", `node ${graph.names[i]}, degree ${number(this.app.walk.degrees[i])}`));
    }

    // Draw the nodes anew, and give the focus back to the one that had it.
    layNodes() {
      this.cancel(); // the node that the pointer holds may be gone
      const { graph, start } = this.app.state, { n } = this.app;
      const active = this.parts.nodes.contains(document.activeElement) ? document.activeElement : null;
      const focused = active && Math.min(n - 1, Number(active.dataset.node));
      const radius = n > 40 ? 9.5 : 12;
      this.parts.nodes.replaceChildren(...graph.names.map((name, i) =>
        svg("g", {
          class: "pg-node", "data-node": i, role: "button", tabindex: i === (focused ?? start) ? 0 : -1,
          transform: `translate(${rounded(graph.places[i].map(pixel)).join(" ")})`,
          style: `--node: ${this.app.colour(i)}`,
        }, svg("circle", { r: radius }), svg("text", { "text-anchor": "middle", dy: "0.36em" }, name.slice(0, 3)))));
      this.parts.halos.replaceChildren(...graph.places.map((place) => {
        const [cx, cy] = rounded(place.map(pixel));
        return svg("circle", { cx, cy });
      }));
      if (focused !== null) this.parts.nodes.children[focused].focus({ preventScroll: true });
    }

    path(i, j) {
      const { places } = this.app.state.graph;
      const [[x1, y1], [x2, y2]] = [i, j].map((k) => places[k].map((x) => Math.round(10 * pixel(x)) / 10));
      if (i !== j) return `M${x1} ${y1}L${x2} ${y2}`;
      return `M${x1 - 5} ${y1 - 8}C${x1 - 26} ${y1 - 40} ${x1 + 26} ${y1 - 40} ${x1 + 5} ${y1 - 8}`;
    }

    // The walk's distribution: a disc that grows with the probability.
    spread() {
      const { start, k } = this.app.state;
      const p = this.app.panels.includes("walk") ? this.app.walk.distribution(start, k) : [];
      [...this.parts.halos.children].forEach((halo, i) =>
        halo.setAttribute("r", (p[i] > 1e-4 ? 10 + 62 * Math.sqrt(p[i]) : 0).toFixed(1)));
    }

    light() {
      const { hover, selected, start, connecting } = this.app.state;
      const walks = this.app.panels.includes("walk");
      [...this.parts.nodes.children].forEach((node, i) => {
        node.classList.toggle("pg-start", walks && i === start);
        node.classList.toggle("pg-lit", Boolean(hover?.includes(i)));
        node.classList.toggle("pg-chosen", selected?.node === i || connecting === i);
        node.classList.toggle("pg-dim", Boolean(hover) && !hover.includes(i));
      });
      const pair = hover && hover[0] !== hover[1], edge = selected?.edge && this.app.edgeAt(...selected.edge);
      this.parts.pair.replaceChildren(
        ...(edge ? [svg("path", { class: "pg-chosen", d: this.path(edge[0], edge[1]) })] : []),
        ...(pair ? [svg("path", { d: this.path(...hover) })] : []));
    }

    // What can be done with the chosen node or edge. A new weight of the same edge leaves its field in place, with the focus.
    tool() {
      const { app } = this, { selected } = app.state, tools = [];
      const [, , weight] = (selected?.edge && app.edgeAt(...selected.edge)) ?? [];
      const shown = weight && JSON.stringify([selected.edge, app.nodes]);
      if (shown && shown === this.shown) return void (this.input.value = weight);
      this.shown = shown;
      if (weight) {
        const [i, j] = selected.edge, id = `${app.id}-weight`;
        const what = i === j ? `loop at ${app.name(i)}` : `edge ${app.name(i)} – ${app.name(j)}`;
        const input = (this.input = html("input", { type: "number", id, min: 0.001, max: 1000000, step: "any", value: weight, onchange: () => this.weigh([i, j]) }));
        tools.push(html("label", { for: id }, `${what}, weight`), input, button("Delete", () => app.deleteEdge([i, j])));
      } else if (selected?.node < app.n) {
        const i = selected.node, loop = app.edgeAt(i, i);
        tools.push(html("span", {}, `node ${app.name(i)}`),
          button(loop ? "Remove loop" : "Add loop", () => (loop ? app.deleteEdge([i, i]) : app.addEdge(i, i))),
          button("Delete", () => app.deleteNode(i)));
      }
      this.tools.replaceChildren(...tools);
    }

    weigh(edge) {
      const { app, input } = this, weight = Number(input.value), now = app.edgeAt(...edge);
      if (!now) return; // the field says its last word when the edge is deleted
      if (weight >= 1e-3 && weight <= 1e6) return app.setWeight(edge, weight);
      app.say(`A weight is a number from 0.001 to 1,000,000. Got ${input.value || "no number"}; it stays ${now[2]}.`);
      input.value = now[2];
    }

    // ---- pointer ---------------------------------------------------------------------------------

    target(event) {
      this.app.flush();
      const found = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-node]");
      if (found && this.element.contains(found)) return { node: Number(found.dataset.node) };
      const { places, edges } = this.app.state.graph, [x, y] = this.place(event).map(pixel);
      const ends = places.map((place) => place.map(pixel));
      const distances = edges.map(([i, j]) => (i === j ? Math.hypot(x - ends[i][0], y - ends[i][1] + 24) - REACH : toSegment([x, y], ends[i], ends[j])));
      const least = Math.min(...distances);
      return least < REACH ? { edge: edges[distances.indexOf(least)].slice(0, 2) } : {};
    }

    place(event) {
      const box = this.element.getBoundingClientRect();
      return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height].map((x) => unpixel(SIZE * x));
    }

    down(event) {
      if (event.button !== 0 || !event.isPrimary) return;
      this.held = { ...this.target(event), x: event.clientX, y: event.clientY, moved: false };
      if (!this.app.editable || this.held.node === undefined) return;
      this.element.setPointerCapture(event.pointerId);
      event.preventDefault();
      this.parts.nodes.children[this.held.node].focus({ preventScroll: true, focusVisible: false });
    }

    move(event) {
      if (!event.isPrimary) return;
      this.app.flush();
      const { held, app } = this;
      if (!held) {
        const { node, edge } = this.target(event);
        const hover = node !== undefined ? [node, node] : edge ?? null;
        if (app.state.hover?.join() !== hover?.join()) app.change({ hover });
        return;
      }
      held.moved ||= Math.hypot(event.clientX - held.x, event.clientY - held.y) > DRAG;
      if (!held.moved || held.node === undefined || !app.editable) return;
      const [x1, y1] = app.state.graph.places[held.node].map(pixel);
      const [x2, y2] = this.place(event).map(pixel);
      set(this.rubber, { x1, y1, x2, y2, class: "pg-rubber pg-shown" });
    }

    up(event) {
      if (!event.isPrimary) return;
      this.app.flush();
      const { held, app } = this;
      this.cancel();
      if (!held) return;
      if (!held.moved) return this.tap(held, event);
      if (!app.editable || held.node === undefined) return;
      const { node } = this.target(event);
      if (node === undefined) this.shift(held.node, this.place(event));
      else if (node !== held.node) app.addEdge(held.node, node);
    }

    cancel() {
      this.held = null;
      this.rubber.setAttribute("class", "pg-rubber");
    }

    leave(event) {
      if (event.pointerType === "mouse" && !this.held) this.app.change({ hover: null });
    }

    // A click. The second one on the same thing deletes it.
    tap({ node, edge }, event) {
      const { app } = this, what = node ?? edge?.join() ?? "open";
      const twice = this.last?.what === what && event.timeStamp - this.last.time < DOUBLE_TAP;
      this.last = { what, time: event.timeStamp };
      if (twice && what !== "open" && app.editable) {
        this.last = null;
        if (node !== undefined) app.deleteNode(node);
        else app.deleteEdge(edge);
      } else if (node !== undefined) app.change({ start: node, selected: { node }, hover: [node, node] });
      else if (edge) app.change({ selected: { edge }, hover: edge });
      else if (app.editable) {
        app.addNode(this.place(event));
        app.flush();
        this.parts.nodes.lastElementChild.focus({ preventScroll: true, focusVisible: false }); // keys go on from here
      }
    }

    shift(node, place) {
      this.app.edit((graph) => {
        graph.places[node] = place.map((x) => Math.min(1, Math.max(0, x)));
      });
    }

    // ---- keyboard --------------------------------------------------------------------------------

    focus(i) {
      [...this.parts.nodes.children].forEach((node, k) => node.setAttribute("tabindex", k === i ? 0 : -1));
      this.app.change({ hover: [i, i] });
    }

    press(event) {
      const { app } = this;
      app.flush();
      const node = document.activeElement.dataset.node; // drawing may have put another in place of event.target
      if (node === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      const i = Number(node), { places } = app.state.graph;
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      const arrow = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[key];
      const beside = (x, axis) => x + (axis ? 0.08 : 0.12) * (x > 0.8 ? -1 : 1);
      const edits = {
        n: () => app.addNode(places[i].map(beside), i),
        c: () => this.connect(i),
        l: () => (app.edgeAt(i, i) ? app.deleteEdge([i, i]) : app.addEdge(i, i)),
        Delete: () => app.deleteNode(i),
        Backspace: () => app.deleteNode(i),
      };
      if (arrow && event.shiftKey && app.editable) this.shift(i, places[i].map((x, axis) => x + 0.03 * arrow[axis]));
      else if (arrow) this.step(i, arrow);
      else if (key === "Enter" || key === " ") app.change({ start: i, selected: { node: i } });
      else if (key === "Escape") app.change({ connecting: null, selected: null, hover: null });
      else if (app.editable && edits[key]) edits[key]();
      else return;
      event.preventDefault();
      event.stopPropagation(); // the page has no use for it
    }

    connect(i) {
      const { app } = this, { connecting } = app.state;
      if (connecting === null || connecting >= app.n) {
        app.change({ connecting: i });
        app.say(`Go to another node and press C to connect it with ${app.name(i)}.`);
      } else if (connecting === i) app.change({ connecting: null });
      else app.addEdge(connecting, i);
    }

    // Go to the node nearest in this direction; sideways distance counts double.
    step(i, [right, downwards]) {
      const { places } = this.app.state.graph;
      let best = null, shortest = Infinity;
      places.forEach(([x, y], k) => {
        const [dx, dy] = [x - places[i][0], y - places[i][1]];
        const along = dx * right + dy * downwards, aside = Math.abs(dx * downwards) + Math.abs(dy * right);
        if (k !== i && along > 1e-6 && along + 2 * aside < shortest) [best, shortest] = [k, along + 2 * aside];
      });
      if (best !== null) this.parts.nodes.children[best].focus({ preventScroll: true, focusVisible: true });
    }
  };

  const REMEDIES = {
    "Keep the largest component": (app) => app.keepLargestComponent(),
    "Let the walk jump": (app) => app.jump(JUMPS),
    "Stop the jumps": (app) => app.jump(0),
    "Add a loop": (app) => app.addEdge(app.state.start, app.state.start),
  };

  // What is wrong with the graph, why, and what helps.
  VIEWS.notices = class {
    constructor(app, parent) {
      this.app = app;
      this.element = html("div", { class: "pg-notices", role: "status" });
      parent.append(this.element);
    }

    draw(changed) {
      const { app } = this;
      if (!any(changed, "graph", "T", "map", "q", "message")) return;
      const notices = [...(app.message ? [["", app.message]] : []), ...this.list()], text = JSON.stringify(notices);
      app.message = null;
      if (text === this.text) return;
      this.text = text;
      this.element.replaceChildren(...notices.map(([title, words, ...remedies]) =>
        html("p", { class: "pg-notice" }, html("b", {}, title), " ", ...typeset(words), " ",
          ...(app.editable ? remedies : []).flatMap((remedy) => [button(remedy, () => REMEDIES[remedy](app)), " "]))));
    }

    list() {
      const { app } = this, { walk, n } = app, { structure } = walk, { T } = app.state;
      if (!walk.volume) return [["No edges.", "The walk cannot take a step. Connect two nodes."]];
      if (structure.count > 1)
        return [[`${structure.count} components.`,
          "A walk never leaves its own, so 1 is an eigenvalue of P more than once and 1/(1 − λ₂) divides by zero: M∞ does " +
          "not exist. Across components M_T is −∞; within one, of volume v, T·M_T grows like T log(v_G/v). Keep one " +
          "component, or let the walk jump to a random node now and then, which joins them all (teleport in the module).",
          "Keep the largest component", "Let the walk jump"]];
      if (n < 3) return [["Too few nodes.", "An embedding in the plane needs three. Add one."]];
      const notices = [];
      if (app.state.jumps)
        notices.push(["Jumps.",
          `In the long run ${100 * app.state.jumps}% of the steps go to a random node. This is a walk on the graph with one more edge, of ` +
          `weight ${number(app.jumpWeight)}, between all pairs; the degrees count it, the drawing leaves it out.`, "Stop the jumps"]);
      if (structure.bipartite)
        notices.push(["Bipartite.",
          "Every edge joins two sides, so −1 is an eigenvalue of P. The walk changes sides at every step and never settles, " +
          "and T·M_T swings around M∞ forever: for large T it is ½ too high within a side and ½ too low across when T is even, " +
          `and the other way round when T is odd${Number.isInteger(T) ? `, as ${T % 2 ? "now" : "it is not now"}` : ""}. ` +
          "M∞ is the mean of two neighbouring windows.",
          "Add a loop"]);
      if (app.panels.includes("embedding")) {
        const { values, next } = app.embedding;
        if (Math.abs(values[1]) - next < 1e-6 * Math.abs(values[0]))
          notices.push(["The plane is not unique.",
            "The second and the third eigenvalue are equal in magnitude. Another choice among their eigenvectors is as good as the one shown."]);
      }
      return notices;
    }
  };

  // The chosen node or pair, in words.
  VIEWS.inspector = class {
    constructor(app, parent) {
      this.app = app;
      this.element = html("p", { class: "pg-words", "aria-live": "polite" });
      parent.append(this.element);
    }

    draw(changed) {
      if (!any(changed, "hover", "T", "graph", "q", "k", "start")) return;
      const { hover } = this.app.state;
      if (!hover) {
        return this.element.replaceChildren(html("span", { class: "pg-muted" }, this.hint));
      }
      const [title, ...words] = hover[0] === hover[1] ? this.node(hover[0]) : this.pair(...hover);
      this.element.replaceChildren(html("b", {}, title), " ", ...typeset(words.join(" ")));
    }

    // What can be pointed at depends on the panels.
    get hint() {
      const { panels, root } = this.app, matrix = panels.some((name) => ["limit", "finite", "binarize"].includes(name));
      const targets = ["at a node", ...(root.dataset.stage === "none" ? [] : ["at an edge"]), ...(matrix ? ["at an entry of a matrix"] : [])];
      return `Point ${targets.join(", ").replace(/, (?!.*, )/, " or ")} to read what it means.`;
    }

    pair(i, j) {
      const { app } = this, { walk, n } = app, { T } = app.state, [a, b] = [app.name(i), app.name(j)];
      const words = [`${a} → ${b}.`];
      if (app.sound) {
        const entry = walk.limit[i * n + j], { from, fromStationary } = walk.hitting(i, j);
        words.push(`M∞ = ${number(entry)}: a walk from ${a} reaches ${b} after ${number(from)} steps on average, ` +
          `${number(Math.abs(entry))} ${entry < 0 ? "more" : "fewer"} than from a stationary start (${number(fromStationary)}).`);
      }
      if (Number.isInteger(T) && T <= 1024 && walk.degrees[i] && walk.degrees[j]) words.push(this.visits(i, j, T));
      if (app.sound && app.panels.includes("binarize")) {
        const { threshold, B } = app.binary, joined = B[i * n + j];
        words.push(`L⁺ = ${number(walk.pinv[i * n + j])}, ${joined ? "at least" : "below"} c = ${number(threshold)}: ` +
          `${joined ? "joined" : "not joined"} in the derived graph.`);
      }
      return words;
    }

    visits(i, j, T) {
      const { app } = this, { walk, n } = app, expected = T * walk.stationary[j];
      const visits = walk.ratio(T)[i * n + j] * expected, beyond = visits - expected;
      return `In ${plural(T, "step", "steps")} it pays ${number(visits)} visits to ${app.name(j)}; chance would be ` +
        `${number(expected)}. That is ${number(Math.abs(beyond))} ${beyond < 0 ? "below" : "beyond"} chance, and ` +
        `T·M_T = ${number(T * walk.pmi(T)[i * n + j])}.`;
    }

    node(i) {
      const { app } = this, { walk, n } = app, { k, start } = app.state;
      const words = [`Node ${app.name(i)}.`];
      if (!walk.volume) return words;
      words.push(`Degree ${number(walk.degrees[i])}, share ${number(walk.stationary[i])} of the stationary distribution.`);
      if (app.panels.includes("walk"))
        words.push(`After ${plural(k, "step", "steps")} a walk from ${app.name(start)} is here with probability ` +
          `${number(walk.distribution(start, k)[i])}.`);
      if (app.sound)
        words.push(`A walk returns to it after ${number(1 / walk.stationary[i])} steps on average; a stationary walk finds it after ` +
          `${number(walk.hitting(i, i).fromStationary)}. The difference is M∞ = ${number(walk.limit[i * n + i])}.`);
      return words;
    }
  };

  // The distribution after k steps, and how far it is from the stationary one.
  VIEWS.walk = class {
    constructor(app, parent) {
      this.app = app;
      this.slider = new Slider(app, "steps k", {
        key: "k", values: Array.from({ length: MOST_STEPS + 1 }, (_, k) => k), text: (k) => `k = ${k}`,
      });
      this.bars = svg("svg", { viewBox: "0 0 460 146", role: "img", class: "pg-plot pg-bars",
        "aria-label": "Bars: the probability of each node after k steps. Ticks: the stationary distribution.",
        onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
        onpointerleave: (event) => event.pointerType === "mouse" && app.change({ hover: null }) });
      this.plot = new Plot("The distance to the stationary distribution over k, and its spectral bound.", {
        x: { label: "steps k", low: 0, high: MOST_STEPS, ticks: [0, 20, 40, 60] }, y: "distance", floor: 1e-6 });
      this.state = new Line();
      parent.append(figure("walk",
        caption("The walk after k steps.", "The orange discs in the graph and the bars show where it is. Ticks: the stationary " +
          "distribution. Below, the total variation distance between the two (solid), and its bound ½ λ*ᵏ √(1/π − 1), with π the " +
          "stationary probability of the start (dashed)."),
        sliderRow(app, this.slider, 250), this.state.element, this.bars, this.plot.element));
    }

    point(event) {
      const { order, n, state } = this.app, box = this.bars.getBoundingClientRect();
      const place = Math.floor(((460 * (event.clientX - box.left)) / box.width - 4) / (452 / n));
      const node = order[Math.min(n - 1, Math.max(0, place))];
      if (state.hover?.join() !== `${node},${node}`) this.app.change({ hover: [node, node] });
    }

    draw(changed) {
      if (!any(changed, "k", "start", "graph", "hover")) return;
      const { app } = this, { walk, n } = app, { k, start, hover } = app.state;
      this.slider.draw();
      const p = walk.distribution(start, k), pi = walk.volume ? walk.stationary : new Float64Array(n);
      const top = Math.max(...p, ...pi, 1e-9), width = 452 / n, y = (value) => 142 - (108 * value) / top;
      this.bars.replaceChildren(...app.order.flatMap((i, place) => {
        const x = 4 + place * width;
        return [
          svg("rect", { class: hover?.includes(i) ? "pg-bar pg-lit" : "pg-bar", x: (x + 0.1 * width).toFixed(2),
            width: (0.8 * width).toFixed(2), y: y(p[i]).toFixed(2), height: (142 - y(p[i])).toFixed(2) }),
          svg("path", { class: "pg-level", d: `M${x.toFixed(2)} ${y(pi[i]).toFixed(2)}h${width.toFixed(2)}` }),
        ];
      }), svg("path", { class: "pg-axis", d: "M4 142H456" }),
        svg("text", { x: 4, y: 18 }, `probability, up to ${number(top)}`));
      if (!any(changed, "k", "start", "graph")) return;
      const { measured, bound } = this.curves();
      this.plot.draw([{ points: bound, kind: "pg-bound" }, { points: measured, kind: "pg-measured" }], k, measured[k][1]);
      const rate = walk.connected && n > 1 ? `; λ* = ${number(walk.rate)}` : "";
      this.state.text = walk.volume ? `From node ${app.name(start)}: distance ${number(measured[k][1])}${rate}.` : "";
    }

    curves() {
      const { app } = this, { walk, n } = app, { start } = app.state;
      return app.keep(`walk ${start}`, () => {
        const measured = [];
        let p = walk.distribution(start, 0);
        for (let k = 0; k <= MOST_STEPS; k++, p = walk.step(p))
          measured.push([k, sum(n, (i) => Math.abs(p[i] - (walk.volume ? walk.stationary[i] : 0))) / 2]);
        if (!walk.connected || n < 2) return { measured, bound: [] };
        const scale = Math.sqrt(1 / walk.stationary[start] - 1) / 2;
        return { measured, bound: measured.map(([k]) => [k, scale * walk.rate ** k]) };
      });
    }
  };

  // T M_T beside M_inf, on one scale, and the distance between them.
  VIEWS.limit = class {
    constructor(app, parent) {
      this.app = app;
      this.slider = windowSlider(app, "T-limit");
      this.finite = new HeatMap(app, "T times M T, the matrix of a finite window");
      this.infinite = new HeatMap(app, "M infinity, its limit");
      this.bar = html("canvas", { class: "pg-scale", "aria-hidden": "true", width: 256, height: 1 });
      this.ends = [html("span", {}), html("span", {}, "0"), html("span", {})];
      this.state = new Line();
      this.plot = new Plot("The largest distance between T M T and its limit, over T, and its first-order prediction.",
        { x: OVER_WINDOWS, y: "largest distance", floor: 1e-4 });
      parent.append(figure("limit",
        caption("T·M_T approaches M∞.", "Both matrices on one colour scale; grey is −∞, for pairs that no walk of at most T steps joins. Below, " +
          "the largest |T·M_T − M∞| over the finite entries (solid) and the prediction max M∞² / 2T (dashed)."),
        sliderRow(app, this.slider),
        html("div", { class: "pg-pair" }, titled("T·M_T", this.finite.canvas), titled("M∞", this.infinite.canvas)),
        html("div", { class: "pg-legend" }, this.bar, html("div", { class: "pg-ends" }, ...this.ends)),
        this.state.element, this.plot.element));
    }

    draw(changed) {
      if (!any(changed, "T", "graph", "hover", "theme")) return;
      const { app } = this, { walk } = app, { T } = app.state, limit = this.scale();
      this.slider.draw();
      const finite = walk.volume ? app.keep(`scaled ${T}`, () => walk.pmi(T).map((x) => T * x)) : null;
      this.finite.draw(finite, limit);
      this.infinite.draw(app.sound ? walk.limit : null, limit);
      if (any(changed, "graph", "theme")) this.legend(limit);
      if (!any(changed, "T", "graph")) return;
      this.state.text = finite ? this.words(finite) : "";
      this.plot.element.style.display = app.sound ? "" : "none";
      if (!app.sound) return;
      const top = walk.limit.reduce((most, x) => Math.max(most, x * x), 0);
      const predicted = WHOLE_WINDOWS.map((t) => [t, top / (2 * t)]);
      const draw = (measured) =>
        this.plot.draw([{ points: predicted, kind: "pg-bound" }, { points: measured, kind: "pg-measured" }], T, this.gap(T));
      this.later(draw, () => WHOLE_WINDOWS.map((t) => [t, this.gap(t)]));
    }

    // Colours saturate at the 98% quantile of the magnitudes, so that few entries do not use them up.
    scale() {
      const { app } = this;
      return app.keep("scale", () => {
        const entries = app.sound ? app.walk.limit : app.walk.volume ? app.walk.pmi(1).filter(Number.isFinite) : [];
        const sorted = Float64Array.from(entries, Math.abs).sort();
        return sorted[Math.floor(0.98 * (sorted.length - 1))] || 1;
      });
    }

    legend(limit) {
      const image = new ImageData(256, 1);
      palette(theme()).forEach((colour, k) => image.data.set([...colour, 255], 4 * k));
      this.bar.getContext("2d").putImageData(image, 0, 0);
      this.ends[0].textContent = `≤ −${number(limit)}`;
      this.ends[2].textContent = `≥ ${number(limit)}`;
    }

    words(finite) {
      const { app } = this, never = finite.filter((x) => x === -Infinity).length;
      const missing = never ? `${plural(never, "entry", "entries")} of T·M_T at −∞. ` : "";
      if (!app.sound) return `${missing}M∞ does not exist.`;
      return `${missing}Largest distance of the ${never ? "others" : "entries"}: ${number(this.gap(app.state.T))}.`;
    }

    // Draw a curve over all windows if it is known, else without it, and again when the graph rests.
    later(draw, compute) {
      const { app } = this;
      clearTimeout(this.timer);
      draw(app.memo.get("gap") ?? []);
      if (app.memo.has("gap")) return;
      const { memo, walk } = app;
      this.timer = setTimeout(() => {
        if (walk !== memo.get("walk")) return;
        app.keep("gap", compute);
        app.change({}, "T");
      }, PAUSE);
    }

    gap(T) {
      const { limit } = this.app.walk;
      return this.app.walk.pmi(T).reduce((most, x, k) => (x === -Infinity ? most : Math.max(most, Math.abs(T * x - limit[k]))), 0);
    }
  };

  // The relative error of the approximation of a finite window, and its bound.
  VIEWS.finite = class {
    constructor(app, parent) {
      this.app = app;
      this.slider = windowSlider(app, "T-finite");
      this.exact = new HeatMap(app, "the positive part of M T");
      this.approximate = new HeatMap(app, "its approximation by the limit");
      this.state = new Line();
      this.plot = new Plot("The relative error of the approximation over T, and its bound.", { x: OVER_WINDOWS, y: "relative error", floor: 1e-8, height: 240 });
      parent.append(figure("finite",
        caption("A finite window from the limit.", "Left, the positive part of M_T; right, log max(1, 1 + M∞/T). Below, the relative error in " +
          "the Frobenius norm (solid) and its bound (dashed)."),
        sliderRow(app, this.slider),
        html("div", { class: "pg-pair" }, titled("exact", this.exact.canvas), titled("from the limit", this.approximate.canvas)),
        this.state.element, this.plot.element));
    }

    draw(changed) {
      if (!any(changed, "T", "graph", "hover", "theme")) return;
      const { app } = this, { T } = app.state;
      this.slider.draw();
      const pair = app.sound ? this.matrices(T) : [null, null];
      const limit = app.sound ? Math.max(...pair[0], ...pair[1], 1e-12) : 1;
      this.exact.draw(pair[0], limit);
      this.approximate.draw(pair[1], limit);
      if (!any(changed, "T", "graph")) return;
      if (!app.sound) return void (this.state.text = NEEDS);
      const { measured, bound } = this.curves(), [now, most] = [measured, bound].map((curve) => curve.find(([t]) => t === T)[1]);
      this.state.text = `Relative error ${number(now)}, by the bound at most ${number(most)}; λ* = ${number(app.walk.rate)}.`;
      this.plot.draw([{ points: bound, kind: "pg-bound" }, { points: measured, kind: "pg-measured" }], T, now);
    }

    matrices(T) {
      const { walk } = this.app;
      return [walk.pmi(T).map((x) => Math.max(0, x)), linalg.logRamp(walk.limit, T, 1)];
    }

    // The bound is that of the chapter: lambda*^(T+1) |S| / T, with S = M_inf + D~^-1 - J.
    curves() {
      const { app } = this, { walk, n } = app;
      return app.keep("finite", () => {
        const norm = (M) => Math.sqrt(M.reduce((total, x) => total + x * x, 0));
        const S = norm(linalg.matrix(n, (i, j) => walk.limit[i * n + j] + (i === j ? 1 / walk.stationary[i] : 0) - 1));
        const measured = [], bound = [];
        for (const T of WHOLE_WINDOWS) {
          const [exact, approximate] = this.matrices(T), size = norm(exact) || 1;
          measured.push([T, norm(exact.map((x, k) => x - approximate[k])) / size]);
          bound.push([T, (walk.rate ** (T + 1) * S) / T / size]);
        }
        return { measured, bound };
      });
    }
  };

  // The scalar function, with the entries on it.
  VIEWS.nonlinearity = class {
    constructor(app, parent) {
      this.app = app;
      this.slider = windowSlider(app, "T-map");
      const id = `${app.id}-map`, maps = Object.entries(MAPS).filter(([key]) => key !== "binary" || app.panels.includes("binarize"));
      this.select = html("select", { id, onchange: () => app.change({ map: this.select.value }) },
        ...maps.map(([value, { label }]) => html("option", { value }, label)));
      this.kinds = ["other", "edge", "same"].map((kind) => svg("path", { class: `pg-entries pg-${kind}` }));
      this.curve = svg("path", { class: "pg-curve pg-function" });
      this.edge = svg("line", { class: "pg-guide", y1: 14, y2: 242 });
      this.point = svg("circle", { class: "pg-found", r: 7 });
      this.marks = svg("g");
      this.element = svg("svg", { viewBox: "0 0 460 270", role: "img", class: "pg-plot",
        "aria-label": "The nonlinearity, with the entries of the matrix on it." },
        this.marks, this.edge, this.curve, ...this.kinds, this.point);
      this.state = new Line();
      parent.append(figure("nonlinearity",
        caption("The nonlinearity, and the entries on it.", "Each dot is an entry x of the matrix; its height is what the map makes of it, divided by " +
          "the largest magnitude. Dashed: where the ramp, or the threshold, begins."),
        sliderRow(app, this.slider), html("div", { class: "pg-row" }, html("label", { for: id }, "map"), this.select),
        this.state.element, this.element, legend(["same", "a node with itself"], ["edge", "an edge"], ["other", "another pair"])));
    }

    draw(changed) {
      if (!any(changed, "T", "graph", "hover", "map", "q")) return;
      const { app } = this, { T, map, hover } = app.state, { walk, n } = app;
      this.slider.draw();
      this.slider.input.disabled = map === "none" || map === "binary";
      this.select.value = map;
      this.element.style.display = app.sound ? "" : "none";
      if (!app.sound) return void (this.state.text = NEEDS);
      const matrix = map === "binary" ? walk.pinv : walk.limit, f = this.map();
      const [low, high] = [Math.min(...matrix), Math.max(...matrix)], room = 0.06 * (high - low || 1);
      const top = matrix.reduce((most, x) => Math.max(most, Math.abs(f(x))), 0) || 1;
      const across = (x) => 30 + (418 * (x - low + room)) / (high - low + 2 * room);
      const down = (y) => 128 - (108 * y) / top;
      const at = (x) => `${across(x).toFixed(1)} ${down(f(x)).toFixed(1)}`;
      if (any(changed, "T", "graph", "map", "q")) {
        const steps = Array.from({ length: 301 }, (_, k) => low - room + (k / 300) * (high - low + 2 * room));
        const shown = steps.filter((x) => Math.abs(f(x)) <= 1.05 * top);
        this.curve.setAttribute("d", shown.map((x, k) => `${k ? "L" : "M"}${at(x)}`).join(""));
        const paths = ["", "", ""];
        for (let i = 0; i < n; i++)
          for (let j = 0; j <= i; j++) paths[i === j ? 2 : app.adjacency[i * n + j] ? 1 : 0] += `M${at(matrix[i * n + j])}h0`;
        this.kinds.forEach((path, k) => path.setAttribute("d", paths[k]));
        this.axes(across, low, high, map === "binary" ? "entry x of L⁺" : "entry x of M∞, in steps");
        this.guide(across, low - room);
        this.state.text = this.words(matrix);
      }
      this.point.style.display = hover ? "" : "none";
      if (hover) {
        const x = matrix[hover[0] * n + hover[1]];
        set(this.point, { cx: across(x), cy: down(f(x)) });
      }
    }

    map() {
      const { T, map } = this.app.state, { ramp } = MAPS[map];
      if (map === "binary") {
        const { threshold } = this.app.binary;
        return (x) => (x >= threshold ? 1 : 0);
      }
      if (map === "none" || T === Infinity) return (x) => x;
      return (x) => (x / T <= ramp - 1 ? Math.log(ramp) : Math.log1p(x / T));
    }

    axes(across, low, high, label) {
      const rough = (high - low) / 5 || 1, unit = 10 ** Math.floor(Math.log10(rough));
      const step = unit * [1, 2, 5, 10].find((factor) => factor * unit >= rough);
      const ticks = [];
      for (let k = Math.ceil(low / step); k * step <= high; k++) if (k) ticks.push(k * step);
      this.marks.replaceChildren(
        svg("path", { class: "pg-axis", d: `M24 128H454${low <= 0 && high >= 0 ? `M${across(0).toFixed(1)} 14V242` : ""}` }),
        ...ticks.map((x) => svg("text", { x: across(x), y: 146, "text-anchor": "middle" }, number(x))),
        ...[[1, 25], [0, 133], [-1, 241]].map(([value, y]) => svg("text", { x: 20, y, "text-anchor": "end" }, number(value))),
        svg("text", { x: 240, y: 264, "text-anchor": "middle" }, label));
    }

    guide(across, least) {
      const { T, map } = this.app.state;
      const x = { log: -T, positive: 0, binary: map === "binary" && this.app.binary.threshold }[map];
      const shown = x !== undefined && x >= least;
      this.edge.style.display = shown ? "" : "none";
      if (shown) set(this.edge, { x1: across(x), x2: across(x) });
    }

    words(matrix) {
      const { T, map } = this.app.state, { n } = this.app, f = this.map();
      if (map === "none" || T === Infinity) return "No nonlinearity: the classical embedding of M∞.";
      if (map === "binary") return `One bit per entry: ${matrix.filter((x) => f(x)).length} of ${matrix.length} are 1.`;
      let ramped = 0;
      for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) ramped += 1 + matrix[i * n + j] / T <= MAPS[map].ramp ? 1 : 0;
      return `${ramped} of ${(n * (n + 1)) / 2} pairs on the ramp.`;
    }
  };

  // The two leading eigenvectors, scaled. A rotation or a reflection is as good, so each frame is turned
  // to fit the one before when it is first shown, and then kept.
  VIEWS.embedding = class {
    constructor(app, parent) {
      this.app = app;
      this.axes = svg("path", { class: "pg-guide" });
      this.ties = svg("path", { class: "pg-ties" });
      this.nodes = svg("g");
      this.names = svg("g", { class: "pg-names" });
      const pairs = (app.root.dataset.names ?? "").split(" ").filter(Boolean).map((pair) => pair.split(":"));
      this.called = new Map(pairs.map(([node, name]) => [Number(node), name]));
      this.element = svg("svg", { viewBox: `0 0 ${SIZE} ${HEIGHT}`, role: "img", class: "pg-plot pg-plane",
        "aria-label": "The nodes in the plane of the embedding, with their edges.",
        onpointermove: (event) => this.point(event), onpointerdown: (event) => this.point(event),
        onpointerleave: (event) => event.pointerType === "mouse" && app.change({ hover: null }),
      }, this.axes, this.ties, this.nodes, this.names);
      this.state = new Line();
      parent.append(figure("embedding",
        caption("The embedding in the plane.", "The two eigenvectors of largest eigenvalue, in magnitude, of the matrix after the map, each times the root of " +
          "that magnitude. Dashed: the axes. It is determined up to a rotation and a reflection."),
        this.element, this.state.element));
    }

    point(event) {
      this.app.flush();
      const node = event.target.isConnected ? event.target.dataset.point : undefined, hover = node === undefined ? null : [Number(node), Number(node)];
      if (this.app.state.hover?.join() !== hover?.join()) this.app.change({ hover });
    }

    draw(changed) {
      const { app } = this, { state, n } = app;
      if (this.drawn !== app.nodes) {
        this.drawn = app.nodes;
        this.nodes.replaceChildren(...state.graph.names.map((name, i) =>
          svg("circle", { "data-point": i, class: "pg-point", r: 7, style: `--node: ${app.colour(i)}` }, svg("title", {}, `node ${name}`))));
      }
      this.element.style.display = app.sound ? "" : "none";
      if (!app.sound) return void (this.state.text = NEEDS);
      if (any(changed, "T", "graph", "map", "q")) this.place();
      if (!any(changed, "hover", "graph", "T", "map", "q")) return;
      [...this.nodes.children].forEach((node, i) => node.classList.toggle("pg-lit", Boolean(state.hover?.includes(i))));
      const named = state.preset === app.root.dataset.preset ? [...this.called.keys()] : [];
      this.label([...new Set(state.hover ?? named)].filter((i) => i < n));
    }

    place() {
      const { app } = this, { points, values } = app.embedding, room = 26;
      const turned = (this.before = app.keep(`turned ${app.chosen}`, () => this.turn(points)));
      const [low, high] = [Math.min, Math.max].map((pick) => [0, 1].map((axis) => pick(...turned.map((point) => point[axis]))));
      const scale = Math.min((SIZE - 2 * room) / (high[0] - low[0] || 1e-9), (HEIGHT - 2 * room) / (high[1] - low[1] || 1e-9));
      const across = (x) => SIZE / 2 + scale * (x - (low[0] + high[0]) / 2);
      const down = (y) => HEIGHT / 2 - scale * (y - (low[1] + high[1]) / 2);
      const [x0, y0] = [across(0), down(0)];
      this.pixels = turned.map(([x, y]) => [across(x), down(y)]);
      this.axes.setAttribute("d", (x0 >= 0 && x0 <= SIZE ? `M${x0.toFixed(1)} 0V${HEIGHT}` : "") + (y0 >= 0 && y0 <= HEIGHT ? `M0 ${y0.toFixed(1)}H${SIZE}` : ""));
      const at = this.pixels.map(rounded);
      [...this.nodes.children].forEach((node, i) => set(node, { cx: at[i][0], cy: at[i][1] }));
      this.ties.setAttribute("d", app.state.graph.edges.map(([i, j]) => `M${at[i].join(" ")}L${at[j].join(" ")}`).join(""));
      this.state.text = `Eigenvalues ${values.map(number).join(" and ")}.`;
    }

    // The orthogonal Procrustes problem in the plane: the rotation, or rotation with reflection, that
    // brings the points closest to those of the frame before.
    turn(points) {
      if (this.before?.length !== points.length) return points;
      const h = [0, 1].map((a) => [0, 1].map((b) => sum(points.length, (i) => points[i][a] * this.before[i][b])));
      const plain = [h[0][0] + h[1][1], h[0][1] - h[1][0]], mirrored = [h[0][0] - h[1][1], h[0][1] + h[1][0]];
      const flip = Math.hypot(...mirrored) > Math.hypot(...plain) ? -1 : 1;
      const [c, s] = flip < 0 ? mirrored : plain, size = Math.hypot(c, s) || 1;
      return points.map(([x, y]) => [(c * x - s * flip * y) / size, (s * x + c * flip * y) / size]);
    }

    // Names beside their points, at whichever corner is farthest from all other points.
    label(nodes) {
      const corners = [[13, -11, "start"], [13, 20, "start"], [-13, -11, "end"], [-13, 20, "end"], [0, -16, "middle"], [0, 27, "middle"]];
      this.names.replaceChildren(...nodes.map((i) => {
        const [x, y] = this.pixels[i], words = this.called.get(i) ?? this.app.name(i), width = 8.5 * words.length;
        const free = ([dx, dy, anchor]) => {
          const left = { start: 0, middle: -width / 2, end: -width }[anchor];
          const [cx, cy] = [x + dx + left + width / 2, y + dy - 5];
          const inside = cx - width / 2 > 0 && cx + width / 2 < SIZE && cy > 8 && cy < HEIGHT - 8;
          const near = this.pixels.map((p, k) => (k === i ? Infinity : Math.max((Math.abs(p[0] - cx) - 7) / (width / 2), (Math.abs(p[1] - cy) - 7) / 8)));
          return Math.min(...near) - (inside ? 0 : 1e3);
        };
        const [dx, dy, anchor] = corners.reduce((best, corner) => (free(corner) > free(best) ? corner : best));
        return svg("text", { x: x + dx, y: y + dy, "text-anchor": anchor }, words);
      }));
    }
  };

  // The binarized pseudoinverse and the graph that it derives.
  VIEWS.binarize = class {
    constructor(app, parent) {
      this.app = app;
      this.slider = new Slider(app, "quantile q", { key: "q", values: QUANTILES, text: (q) => `q = ${q.toFixed(2)}` });
      this.cells = new HeatMap(app, "B, the binarized pseudoinverse");
      this.balls = svg("g", { class: "pg-balls" });
      this.kept = svg("path", { class: "pg-kept" });
      this.fresh = svg("path", { class: "pg-fresh" });
      this.nodes = svg("g");
      // With room around it for the balls of the outer nodes.
      this.drawing = svg("svg", { viewBox: `-60 -60 ${SIZE + 120} ${SIZE + 120}`, role: "img", class: "pg-derived",
        "aria-label": "The derived graph on the places of the input." }, this.balls, this.fresh, this.kept, this.nodes);
      this.state = new Line();
      parent.append(figure("binarize",
        caption("One bit of each entry.", "B is 1 where L⁺ is at least its q-quantile c. Read as an adjacency matrix, it derives a new graph: two nodes " +
          "are joined when their balls, of radius L⁺(i, i) − c in effective resistance, overlap. Discs show the radii on a scale of their own. Hollow " +
          "nodes have no ball."),
        sliderRow(app, this.slider),
        html("div", { class: "pg-pair" }, titled("B", this.cells.canvas), titled("the derived graph", this.drawing)),
        legend(["kept", "also an edge of the input"], ["fresh", "a new edge"]), this.state.element));
    }

    draw(changed) {
      if (!any(changed, "q", "graph", "hover", "theme")) return;
      const { app } = this, { hover } = app.state;
      this.slider.draw();
      this.cells.draw(app.sound ? app.binary.B : null, 1);
      this.drawing.style.display = app.sound ? "" : "none";
      if (!app.sound) return void (this.state.text = NEEDS);
      if (any(changed, "q", "graph")) this.derive();
      [...this.nodes.children].forEach((node, i) => node.classList.toggle("pg-lit", Boolean(hover?.includes(i))));
    }

    derive() {
      const { app } = this, { n, walk } = app, { B, threshold } = app.binary;
      const places = app.state.graph.places.map((place) => rounded(place.map(pixel)));
      let kept = "", fresh = "", common = 0, joined = 0, edges = 0;
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          const input = app.adjacency[i * n + j] > 0, line = `M${places[i].join(" ")}L${places[j].join(" ")}`;
          edges += input;
          if (!B[i * n + j]) continue;
          joined++;
          common += input;
          if (input) kept += line;
          else fresh += line;
        }
      }
      this.kept.setAttribute("d", kept);
      this.fresh.setAttribute("d", fresh);
      const diagonal = Array.from({ length: n }, (_, i) => walk.pinv[i * n + i]);
      const widest = Math.max(...diagonal) - Math.min(...walk.pinv);
      if (this.drawn !== app.nodes) {
        this.drawn = app.nodes;
        const circle = (kind, i) => svg("circle", { class: kind, cx: places[i][0], cy: places[i][1], r: 9, style: `--node: ${app.colour(i)}` });
        this.balls.replaceChildren(...diagonal.map((_, i) => circle("pg-ball", i)));
        this.nodes.replaceChildren(...diagonal.map((_, i) => circle("pg-point", i)));
      }
      diagonal.forEach((x, i) => {
        this.balls.children[i].setAttribute("r", Math.max(0, (110 * (x - threshold)) / widest).toFixed(1));
        this.nodes.children[i].classList.toggle("pg-hollow", x < threshold);
      });
      const components = new linalg.Walk(B, n).structure.count, lost = diagonal.filter((x) => x < threshold).length;
      this.state.text = `${plural(joined, "edge", "edges")} in ${plural(components, "component", "components")}; ` +
        `${plural(lost, "node", "nodes")} without a ball. Overlap with the ${edges} edges of the input (Jaccard index): ` +
        `${number(common / (joined + edges - common || 1))}.`;
    }
  };

  // The edge list, the link, and the Python code.
  VIEWS.share = class {
    constructor(app, parent) {
      this.app = app;
      const id = `${app.id}-edges`;
      this.text = html("textarea", { id, rows: 7, spellcheck: "false", autocomplete: "off", oninput: () => this.follow() });
      this.problem = html("p", { class: "pg-problem", role: "alert" });
      this.code = html("code", {});
      this.copied = html("span", { role: "status", class: "pg-muted" });
      this.python = [
        button("Download Python", () => save("graph.py", `${this.program()}\n`)),
        button("Copy Python", () => this.copy(this.program())),
      ];
      parent.append(html("section", { class: "pg-panel pg-share", "aria-label": "Share" },
        html("p", { class: "pg-title" }, html("b", {}, "Take it with you.")),
        html("label", { for: id }, "Edge list: one edge per line, two nodes and a weight if it is not 1"), this.text, this.problem,
        html("div", { class: "pg-buttons" },
          button("Copy link", () => this.copy(`${location.href.split("#")[0]}#${app.link()}`)),
          button("Download edge list", () => save("graph.txt", `${graphs.formatEdges(app.state.graph)}\n`)), ...this.python, this.copied),
        html("p", {}, "These five lines of Python draw the embedding, up to a rotation and a reflection:"),
        html("pre", { tabindex: 0, role: "region", "aria-label": "Python code" }, this.code)));
    }

    draw(changed) {
      if (!any(changed, "graph", "T", "q", "map")) return;
      const { app } = this;
      for (const each of this.python) each.disabled = !(app.sound && app.listed);
      // A long text takes as long as all other views; it follows when the graph rests.
      clearTimeout(this.timer);
      if (any(changed, "graph") && this.drawn) this.timer = setTimeout(() => this.write(), PAUSE);
      else this.write();
      this.drawn = true;
    }

    write() {
      const { app } = this;
      if (document.activeElement !== this.text) {
        this.text.value = graphs.formatEdges(app.state.graph);
        this.problem.textContent = "";
      }
      this.code.textContent = app.sound && app.listed ? this.program() : `# ${app.sound ? ALONE : NEEDS}`;
    }

    // Read the text before the next frame. Text that no paste brings in comes with an event for every line.
    follow() {
      this.frame ??= requestAnimationFrame(() => {
        this.frame = null;
        this.readText();
        this.app.flush();
      });
    }

    readText() {
      try {
        const graph = graphs.parseEdges(this.text.value);
        this.problem.textContent = "";
        this.app.change({ preset: "drawn", graph, selected: null, connecting: null });
      } catch (error) {
        this.problem.textContent = error.message;
      }
    }

    program() {
      const { T, q, map, graph, jumps } = this.app.state;
      const edges = graph.edges.map(([i, j, w]) => `${graph.names[i]} ${graph.names[j]} ${w}`).join(";");
      const window = map === "none" || T === Infinity ? 'float("inf")' : T, jump = jumps ? `, teleport=${jumps}` : "";
      const model = map === "binary" ? `BinarizedLaplacian(n_components=2, quantile=${q}${jump})`
        : `InfiniteWalk(n_components=2, window=${window}${map === "positive" ? ", ramp=1" : ""}${jump})`;
      return [
        "import matplotlib.pyplot as plt, networkx as nx",
        `from infwalk import ${model.split("(")[0]}`,
        `graph = nx.parse_edgelist(${JSON.stringify(edges)}.split(";"), data=[("weight", float)])`,
        `X = ${model}.fit_transform(graph)`,
        "plt.scatter(X[:, 0], X[:, 1]); plt.show()",
      ].join("\n");
    }

    async copy(text) {
      try {
        await navigator.clipboard.writeText(text);
        this.copied.textContent = "Copied.";
      } catch {
        this.copied.textContent = "The browser does not allow it. Copy from the address bar, or from the code below.";
      }
      setTimeout(() => (this.copied.textContent = ""), 4000);
    }
  };

  function save(name, text) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    html("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // ---- start ---------------------------------------------------------------------------------------

  let count = 0;
  function mount() {
    for (const root of document.querySelectorAll(".playground[data-panels]:not([data-mounted])")) {
      root.dataset.mounted = "";
      root.infwalk = new App(root, `pg${count++}`);
    }
  }

  window.infwalk.mount = mount;
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", mount);
  else mount();
})();

// Small graphs for the playground: presets, layout, edge lists, and the fragment of a shared link.
//
// A graph is { names, places, groups, hues, edges }: a name, a point of the unit square and a group per
// node; `hues`, from 0 to 1, in place of groups where the nodes have an order; edges [i, j, weight]
// with i <= j.

(function (root) {
  "use strict";

  const MOST_NODES = 60;
  const MOST_TEXT = 40000; // characters of an edge list; 60 nodes have 1,830 pairs

  // Zachary's karate club as networkx ships it, with its weights and the factions. The places are its
  // Kamada-Kawai layout, with nodes moved apart where they would overlap.
  const KARATE = {
    edges:
      "0-1*4 0-2*5 0-3*3 0-4*3 0-5*3 0-6*3 0-7*2 0-8*2 0-10*2 0-11*3 0-12 0-13*3 0-17*2 0-19*2 " +
      "0-21*2 0-31*2 1-2*6 1-3*3 1-7*4 1-13*5 1-17 1-19*2 1-21*2 1-30*2 2-3*3 2-7*4 2-8*5 2-9 " +
      "2-13*3 2-27*2 2-28*2 2-32*2 3-7*3 3-12*3 3-13*3 4-6*2 4-10*3 5-6*5 5-10*3 5-16*3 6-16*3 " +
      "8-30*3 8-32*3 8-33*4 9-33*2 13-33*3 14-32*3 14-33*2 15-32*3 15-33*4 18-32 18-33*2 19-33 " +
      "20-32*3 20-33 22-32*2 22-33*3 23-25*5 23-27*4 23-29*3 23-32*5 23-33*4 24-25*2 24-27*3 " +
      "24-31*2 25-31*7 26-29*4 26-33*2 27-33*4 28-31*2 28-33*2 29-32*4 29-33*2 30-32*3 30-33*3 " +
      "31-32*4 31-33*4 32-33*5",
    places:
      "493,380 325,426 537,571 610,437 649,250 645,175 465,175 733,449 299,580 514,733 823,266 " +
      "294,209 873,353 398,535 0,741 32,814 617,0 212,275 101,876 209,528 199,921 117,322 " +
      "321,935 689,862 1000,738 980,664 424,1000 759,733 637,736 533,922 113,620 652,610 284,741 399,768",
    groups: "0000000001000011001010111111111111",
  };

  const count = (n) => Array.from({ length: n }, (_, i) => i);
  const around = (share, radius = 0.5, centre = [0.5, 0.5]) => [
    centre[0] + radius * Math.sin(2 * Math.PI * share),
    centre[1] - radius * Math.cos(2 * Math.PI * share),
  ];

  function graph(n, edges, places, { groups, hues } = {}) {
    return {
      names: count(n).map(String),
      places,
      groups: groups ?? count(n).map(() => 0),
      hues: hues ?? null,
      edges: edges.map(([i, j, weight = 1]) => [Math.min(i, j), Math.max(i, j), weight]),
    };
  }

  // Every preset has sliders: [name, label, least, most, start, step].
  const PRESETS = {
    karate: { label: "Karate club", sliders: [], make: () => decode(KARATE) },
    cliques: {
      label: "Two cliques and a bridge",
      sliders: [["size", "nodes of a clique", 3, 30, 8, 1]],
      make: ({ size }) => {
        const inside = (first) =>
          count(size).flatMap((i) => count(i).map((j) => [first + j, first + i]));
        const place = (k) =>
          k < size
            ? around(0.25 + k / size, 0.22, [0.22, 0.5])
            : around(0.75 + (k - size) / size, 0.22, [0.78, 0.5]);
        const all = count(2 * size);
        return graph(2 * size, [...inside(0), ...inside(size), [0, size]], all.map(place), {
          groups: all.map((k) => (k < size ? 0 : 1)),
        });
      },
    },
    ring: {
      label: "Ring",
      sliders: [["size", "nodes", 3, MOST_NODES, 25, 1]],
      make: ({ size }) => {
        const all = count(size), edges = all.map((i) => [i, (i + 1) % size]);
        const hues = all.map((i) => i / size);
        return graph(size, edges, hues.map((share) => around(share)), { hues });
      },
    },
    star: {
      label: "Star",
      sliders: [["size", "leaves", 2, MOST_NODES - 1, 14, 1]],
      make: ({ size }) => {
        const leaves = count(size);
        const places = [[0.5, 0.5], ...leaves.map((i) => around(i / size))];
        const groups = [1, ...leaves.map(() => 0)];
        return graph(size + 1, leaves.map((i) => [0, i + 1]), places, { groups });
      },
    },
    grid: {
      label: "Grid",
      sliders: [
        ["rows", "rows", 2, 7, 5, 1],
        ["columns", "columns", 2, 8, 7, 1],
      ],
      make: ({ rows, columns }) => {
        const at = (row, column) => row * columns + column;
        const cells = count(rows * columns).map((k) => [Math.floor(k / columns), k % columns]);
        const edges = cells.flatMap(([row, column]) => [
          ...(column + 1 < columns ? [[at(row, column), at(row, column + 1)]] : []),
          ...(row + 1 < rows ? [[at(row, column), at(row + 1, column)]] : []),
        ]);
        const places = cells.map(([row, column]) => [column / (columns - 1), row / (rows - 1)]);
        const hues = cells.map(([row, column]) => 0.8 * ((row + column) / (rows + columns - 2)));
        return graph(rows * columns, edges, places, { hues });
      },
    },
    blocks: {
      label: "Stochastic block model",
      sliders: [
        ["size", "nodes", 12, MOST_NODES, 45, 3],
        ["inside", "edge probability inside a block", 0.05, 1, 0.5, 0.01],
        ["across", "across blocks", 0, 0.5, 0.04, 0.01],
        ["seed", "sample", 1, 50, 1, 1],
      ],
      make: ({ size, inside, across, seed }) => {
        const block = (i) => Math.floor((3 * i) / size);
        const random = randomNumbers(seed);
        const edges = [];
        // One number per pair whatever the probabilities, so that a slider adds or removes edges.
        for (let i = 0; i < size; i++) {
          for (let j = 0; j < i; j++) {
            if (random() < (block(i) === block(j) ? inside : across)) edges.push([j, i]);
          }
        }
        const places = count(size).map((i) => {
          const rank = i - Math.ceil((block(i) * size) / 3);
          const radius = 0.23 * Math.sqrt((rank + 0.5) / (size / 3));
          return around(rank * 0.381966, radius, around(block(i) / 3, 0.29, [0.5, 0.54]));
        });
        return graph(size, edges, places, { groups: count(size).map(block) });
      },
    },
  };

  function preset(name, values = {}) {
    const starts = PRESETS[name].sliders.map(([key, , , , start]) => [key, start]);
    return PRESETS[name].make({ ...Object.fromEntries(starts), ...values });
  }

  // A generator of numbers in [0, 1) from a seed (mulberry32).
  function randomNumbers(seed) {
    let state = seed * 0x9e3779b9;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
  }

  // Places by forces (Fruchterman and Reingold), from a spiral, then fitted into the unit square.
  function layout(n, edges, steps = 300) {
    const places = count(n).map((i) => around((i * 0.381966) % 1, 0.25 + (0.25 * i) / n));
    const ideal = 0.8 / Math.sqrt(n);
    // Flat arrays of numbers: the complete graph has a million pushes.
    const x = Float64Array.from(places, ([across]) => across), y = Float64Array.from(places, ([, down]) => down);
    const forceX = new Float64Array(n), forceY = new Float64Array(n), joined = new Uint8Array(n * n);
    for (const [i, j] of edges) joined[Math.max(i, j) * n + Math.min(i, j)] = 1;
    for (let step = 0; step < steps; step++) {
      for (let i = 0; i < n; i++) {
        forceX[i] = (0.5 - x[i]) * 0.3 * ideal;
        forceY[i] = (0.5 - y[i]) * 0.3 * ideal;
      }
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          const dx = x[i] - x[j], dy = y[i] - y[j], distance = Math.max(Math.sqrt(dx * dx + dy * dy), 1e-6);
          const size = (ideal / distance) ** 2 - (joined[i * n + j] ? distance / ideal : 0);
          forceX[i] += size * dx;
          forceY[i] += size * dy;
          forceX[j] -= size * dx;
          forceY[j] -= size * dy;
        }
      }
      const limit = 0.1 * (1 - step / steps);
      for (let i = 0; i < n; i++) {
        const length = Math.max(Math.hypot(forceX[i], forceY[i]), 1e-9), size = Math.min(length, limit) / length;
        x[i] += size * forceX[i];
        y[i] += size * forceY[i];
      }
    }
    return fitted(places.map((_, i) => [x[i], y[i]]));
  }

  function fitted(places) {
    const [low, high] = [Math.min, Math.max].map((pick) =>
      [0, 1].map((axis) => pick(...places.map((place) => place[axis]))));
    const span = Math.max(high[0] - low[0], high[1] - low[1], 1e-9);
    return places.map((place) =>
      place.map((x, axis) => 0.5 + (x - (low[axis] + high[axis]) / 2) / span));
  }

  // Read lines "node node [weight]". Throws an Error that says the rule, the value and the remedy.
  function parseEdges(text) {
    if (text.length > MOST_TEXT)
      throw new Error(`An edge list may have ${MOST_TEXT} characters; this one has ${text.length}. Shorten it.`);
    const weights = new Map(), names = [];
    text.split(/\r?\n/).forEach((raw, line) => {
      const words = raw.replace(/#.*/, "").split(/[\s,;]+/).filter(Boolean);
      if (!words.length) return;
      const where = `Line ${line + 1}, “${raw.trim().slice(0, 40)}”`;
      if (words.length < 2 || words.length > 3)
        throw new Error(`${where}: a line has two nodes and, if you like, a weight. It has ${words.length} ` +
          `${words.length === 1 ? "word" : "words"}.`);
      const weight = words.length === 3 ? Number(words[2]) : 1;
      if (!(weight >= 1e-3 && weight <= 1e6))
        throw new Error(`${where}: a weight is a number from 0.001 to 1,000,000. Got “${words[2]}”.`);
      for (const word of words.slice(0, 2)) if (!names.includes(word)) names.push(word);
      if (names.length > MOST_NODES)
        throw new Error(`${where}: more than ${MOST_NODES} nodes. For a larger graph use the module.`);
      const key = words.slice(0, 2).sort().join(" ");
      if (weights.has(key)) throw new Error(`${where}: this edge is listed twice. Remove one line.`);
      weights.set(key, [words[0], words[1], weight]);
    });
    if (!names.length) throw new Error("The edge list is empty. Write one edge per line, such as “0 1”.");
    if (names.every((name) => /^\d{1,9}$/.test(name))) names.sort((a, b) => a - b);
    const edges = [...weights.values()].map(([a, b, weight]) => [names.indexOf(a), names.indexOf(b), weight]);
    return { ...graph(names.length, edges, layout(names.length, edges)), names };
  }

  function formatEdges({ names, edges }) {
    return edges
      .map(([i, j, w]) => `${names[i]} ${names[j]}${w === 1 ? "" : ` ${w}`}`)
      .join("\n");
  }

  // The compact form of a link: edges "i-j*weight", places in thousandths, groups as digits.
  function encode({ names, places, groups, hues, edges }) {
    const plain = names.every((name, i) => name === String(i));
    return {
      edges: edges.map(([i, j, w]) => `${i}-${j}${w === 1 ? "" : `*${w}`}`).join(" "),
      places: places.map((place) => place.map((x) => Math.round(1000 * x)).join(",")).join(" "),
      ...(groups.some(Boolean) ? { groups: groups.join("") } : {}),
      ...(hues ? { hues: hues.map((x) => Math.round(100 * x)).join(",") } : {}),
      ...(plain ? {} : { names: names.map(encodeURIComponent).join(",") }),
    };
  }

  // Returns null for parts that encode() cannot have written.
  function decode({ edges, places, groups, hues, names }) {
    const points = places.split(" ").map((pair) => pair.split(",").map((x) => Number(x) / 1000));
    const n = points.length;
    const links = edges.split(" ").filter(Boolean).map((text) => text.split(/[-*]/).map(Number));
    const node = (i) => Number.isInteger(i) && i >= 0 && i < n;
    const sound =
      n <= MOST_NODES &&
      points.every((point) => point.length === 2 && point.every((x) => x >= -1 && x <= 2)) &&
      links.every(([i, j, w = 1]) => node(i) && node(j) && w >= 1e-3 && w <= 1e6) &&
      new Set(links.map(([i, j]) => `${Math.min(i, j)} ${Math.max(i, j)}`)).size === links.length;
    if (!sound) return null;
    const result = graph(n, links, points, {
      groups: groups?.length === n ? [...groups].map((x) => Number(x) % 6 || 0) : undefined,
      hues: hues?.split(",").length === n ? hues.split(",").map((x) => Number(x) / 100 || 0) : undefined,
    });
    let called = null;
    try {
      called = names?.split(",").map(decodeURIComponent);
    } catch {
      return null; // not an encoding of anything
    }
    if (!called) return result;
    // Names that an edge list can hold: one word each, all different.
    const words = called.every((name) => /^[^\s,;#]+$/.test(name)) && new Set(called).size === called.length;
    return words && called.length === n ? { ...result, names: called } : null;
  }

  root.infwalk = root.infwalk ?? {};
  root.infwalk.graphs = { MOST_NODES, PRESETS, decode, encode, formatEdges, parseEdges, preset };
})(typeof window === "undefined" ? globalThis : window);

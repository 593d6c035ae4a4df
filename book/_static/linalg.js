// The walk's matrices for small graphs, computed in the page. The definitions are those of the
// Python module `infwalk`; tests/book/test_playground.py compares the two.
//
// It is written by hand because no symmetric eigensolver without dependencies comes from PyPI. It is
// a classic script, not an ES module: a browser refuses to load modules from file://.
//
// A matrix is a Float64Array of n * n numbers, row by row.

(function (root) {
  "use strict";

  const EPS = 2 ** -52; // the paper's ramp
  const TIES = 1e-6; // as infwalk.nonlinearity.TIES: entries closer than this count as equal
  const NEARLY = 1e-6; // entries of a vector whose magnitudes count as equal

  function matrix(n, entry) {
    const M = new Float64Array(n * n);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) M[i * n + j] = entry(i, j);
    return M;
  }

  // The product of two symmetric matrices that commute, which is symmetric too.
  function multiply(A, B, n) {
    const C = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0, a = i * n, b = j * n; k < n; k++) sum += A[a + k] * B[b + k];
        C[i * n + j] = C[j * n + i] = sum;
      }
    }
    return C;
  }

  // The inverse of a positive definite matrix, by Gauss-Jordan elimination; no pivots are needed.
  function inverse(matrix, n) {
    const A = Float64Array.from(matrix);
    for (let k = 0; k < n; k++) {
      const pivot = 1 / A[k * n + k];
      A[k * n + k] = 1;
      for (let j = 0; j < n; j++) A[k * n + j] *= pivot;
      for (let i = 0; i < n; i++) {
        if (i === k) continue;
        const factor = A[i * n + k];
        A[i * n + k] = 0;
        for (let j = 0; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
      }
    }
    return A;
  }

  // All eigenpairs of a symmetric matrix by cyclic Jacobi rotations, largest value first. Vector j
  // is row j of `vectors`.
  function eigh(matrix, n) {
    const A = Float64Array.from(matrix);
    const V = new Float64Array(n * n);
    for (let i = 0; i < n; i++) V[i * n + i] = 1;
    const negligible = 1e-17 * Math.sqrt(A.reduce((sum, x) => sum + x * x, 0));
    let rotated = true;
    for (let sweep = 0; rotated && sweep < 60; sweep++) {
      rotated = false;
      for (let p = 0; p < n; p++) {
        for (let q = p + 1; q < n; q++) {
          if (Math.abs(A[p * n + q]) <= negligible) continue;
          rotated = true;
          rotate(A, V, n, p, q);
        }
      }
    }
    const order = Array.from({ length: n }, (_, j) => j);
    order.sort((i, j) => A[j * n + j] - A[i * n + i]);
    const vectors = new Float64Array(n * n);
    order.forEach((from, to) => vectors.set(V.subarray(from * n, from * n + n), to * n));
    return { values: Float64Array.from(order, (j) => A[j * n + j]), vectors };
  }

  // One rotation, in place: it makes A[p, q] zero, and turns rows p and q of V.
  function rotate(A, V, n, p, q) {
    const P = p * n, Q = q * n, pivot = A[P + q];
    const theta = (A[Q + q] - A[P + p]) / (2 * pivot);
    const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
    const c = 1 / Math.sqrt(t * t + 1), s = t * c;
    const [first, second] = [A[P + p] - t * pivot, A[Q + q] + t * pivot];
    for (let k = 0; k < n; k++) {
      const a = A[P + k], b = A[Q + k];
      A[k * n + p] = A[P + k] = c * a - s * b;
      A[k * n + q] = A[Q + k] = s * a + c * b;
      const v = V[P + k], w = V[Q + k];
      V[P + k] = c * v - s * w;
      V[Q + k] = s * v + c * w;
    }
    A[P + p] = first;
    A[Q + q] = second;
    A[P + q] = A[Q + p] = 0;
  }

  // V sqrt|w| for the eigenpairs (w, v) of largest magnitude; in each vector the first entry of
  // largest magnitude is positive. `next` is the largest magnitude that is left out.
  function embed(matrix, n, dimension) {
    const { values, vectors } = eigh(matrix, n);
    const order = Array.from(values.keys());
    order.sort((i, j) => Math.abs(values[j]) - Math.abs(values[i]) || values[j] - values[i]);
    const kept = order.slice(0, dimension);
    const columns = kept.map((j) => {
      const vector = vectors.subarray(j * n, j * n + n);
      const largest = vector.reduce((top, x) => Math.max(top, Math.abs(x)), 0);
      const first = vector.find((x) => Math.abs(x) >= (1 - NEARLY) * largest);
      const scale = Math.sign(first) * Math.sqrt(Math.abs(values[j]));
      return vector.map((x) => scale * x);
    });
    const points = Array.from({ length: n }, (_, i) => columns.map((column) => column[i]));
    const next = order.length > dimension ? Math.abs(values[order[dimension]]) : 0;
    return { values: kept.map((j) => values[j]), next, points };
  }

  // log max(ramp, 1 + x / T) of every entry; for an infinite T the matrix itself.
  function logRamp(matrix, T, ramp = EPS) {
    if (T === Infinity) return matrix;
    return matrix.map((x) => (x / T <= ramp - 1 ? Math.log(ramp) : Math.log1p(x / T)));
  }

  // The smallest element no less than a share q of all, lowered by rounding, as in infwalk.
  function quantileElement(matrix, q) {
    const sorted = Float64Array.from(matrix).sort();
    const element = sorted[Math.max(0, Math.ceil(sorted.length * q - 1))];
    return element - (TIES * matrix.reduce((sum, x) => sum + Math.abs(x), 0)) / matrix.length;
  }

  function binarize(matrix, q) {
    const threshold = quantileElement(matrix, q);
    return matrix.map((x) => (x >= threshold ? 1 : 0));
  }

  // The random walk on a graph, given by its adjacency matrix. What depends on the graph alone is
  // computed when it is first asked for, and kept.
  class Walk {
    constructor(adjacency, n) {
      this.n = n;
      this.adjacency = adjacency;
      this.degrees = Float64Array.from({ length: n }, (_, i) =>
        adjacency.subarray(i * n, i * n + n).reduce((sum, x) => sum + x, 0));
      this.volume = this.degrees.reduce((sum, x) => sum + x, 0);
      this.stationary = this.degrees.map((d) => d / this.volume);
      this.kept = new Map();
    }

    keep(name, compute) {
      if (!this.kept.has(name)) this.kept.set(name, compute());
      return this.kept.get(name);
    }

    // Component and side of every node: 0, 1, 2, ... and +1 or -1. `bipartite` says whether every
    // edge joins two sides.
    get structure() {
      return this.keep("structure", () => {
        const { n, adjacency } = this;
        const component = new Array(n).fill(-1), side = new Array(n).fill(1);
        let count = 0, bipartite = true;
        for (let source = 0; source < n; source++) {
          if (component[source] >= 0) continue;
          component[source] = count;
          const queue = [source];
          for (const i of queue) {
            for (let j = 0; j < n; j++) {
              if (!adjacency[i * n + j]) continue;
              if (component[j] < 0) {
                component[j] = count;
                side[j] = -side[i];
                queue.push(j);
              } else if (side[j] === side[i]) bipartite = false;
            }
          }
          count++;
        }
        return { component, side, count, bipartite };
      });
    }

    get connected() {
      return this.structure.count === 1 && this.volume > 0;
    }

    // P~ = D^-1/2 A D^-1/2, with rows of zeros for nodes without an edge.
    get transition() {
      return this.keep("transition", () => {
        const scale = this.degrees.map((d) => (d > 0 ? 1 / Math.sqrt(d) : 0));
        return matrix(this.n, (i, j) => this.adjacency[i * this.n + j] * (scale[i] * scale[j]));
      });
    }

    get spectrum() {
      return this.keep("spectrum", () => eigh(this.transition, this.n));
    }

    // The largest magnitude of an eigenvalue after the first: the rate of forgetting.
    get rate() {
      const { values } = this.spectrum;
      return Math.max(Math.abs(values[1]), Math.abs(values[this.n - 1]));
    }

    // P~^T and P~ + ... + P~^T. All terms are non-negative, so small sums keep their digits.
    powers(T) {
      return this.keep(`powers ${T}`, () => {
        const { n, transition } = this;
        if (T === 1) return { power: transition, sum: transition };
        const half = this.powers(T % 2 ? T - 1 : T / 2);
        const power = multiply(half.power, T % 2 ? transition : half.power, n);
        const rest = T % 2 ? power : multiply(half.power, half.sum, n);
        return { power, sum: half.sum.map((x, k) => x + rest[k]) };
      });
    }

    // (P + ... + P^T) D~^-1 / T, whose logarithm is M_T.
    ratio(T) {
      return this.keep(`ratio ${T}`, () => {
        const { n } = this, { sum } = this.powers(T);
        const scale = this.stationary.map((p) => (p > 0 ? 1 / Math.sqrt(p) : 0));
        return matrix(n, (i, j) => (sum[i * n + j] * scale[i] * scale[j]) / T);
      });
    }

    pmi(T) {
      return this.keep(`pmi ${T}`, () => this.ratio(T).map(Math.log));
    }

    // M_inf = D~^-1/2 ((L~ + w w')^-1 - I) D~^-1/2 with w = sqrt(d~), for a connected graph.
    get limit() {
      return this.keep("limit", () => {
        const { n, transition } = this, w = this.stationary.map(Math.sqrt);
        const one = (i, j) => (i === j ? 1 : 0);
        const Z = inverse(matrix(n, (i, j) => one(i, j) - transition[i * n + j] + w[i] * w[j]), n);
        return matrix(n, (i, j) => (Z[i * n + j] - one(i, j)) / (w[i] * w[j]));
      });
    }

    // L^+ = (L + c u u')^-1 - u u' / c, with u = 1 / sqrt(n) and c the harmonic mean degree.
    get pinv() {
      return this.keep("pinv", () => {
        const { n, degrees, adjacency } = this;
        const c = n / degrees.reduce((sum, d) => sum + 1 / d, 0);
        const shifted = (i, j) => (i === j ? degrees[i] : 0) - adjacency[i * n + j] + c / n;
        return inverse(matrix(n, shifted), n).map((x) => x - 1 / (c * n));
      });
    }

    // One step of a distribution.
    step(p) {
      const { n, adjacency, degrees } = this, next = new Float64Array(n);
      for (let i = 0; i < n; i++) {
        if (!p[i] || !degrees[i]) continue;
        for (let j = 0; j < n; j++) next[j] += (p[i] * adjacency[i * n + j]) / degrees[i];
      }
      return next;
    }

    // The distribution of a walk from `start` after k steps.
    distribution(start, k) {
      let p = new Float64Array(this.n);
      p[start] = 1;
      for (let step = 0; step < k; step++) p = this.step(p);
      return p;
    }

    // Mean steps until a stationary walk is at j, and until a walk from i is: M_inf is the
    // difference. At least one step, so that H(j, j) is the return time.
    hitting(i, j) {
      const { n, limit } = this;
      const fromStationary = 1 / this.stationary[j] + limit[j * n + j];
      return { fromStationary, from: fromStationary - limit[i * n + j] };
    }
  }

  root.infwalk = root.infwalk ?? {};
  root.infwalk.linalg = { EPS, Walk, binarize, eigh, embed, logRamp, matrix, quantileElement };
})(typeof window === "undefined" ? globalThis : window);

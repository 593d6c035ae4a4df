// The map of results: the drawing and its links work without this. Here they light up what they depend on.

(function () {
  "use strict";

  const { html } = window.infwalk.dom;
  const { define, words } = window.infwalk.charts;
  const HINT = "Point at a result, or go there with Tab and the arrow keys, to see what it uses and what uses it. Click it, or press Enter, to open it.";

  define("map", class {
    constructor(root) {
      this.nodes = [...root.querySelectorAll("[data-result]")];
      this.arrows = [...root.querySelectorAll("[data-from]")].map((element) => ({ element, from: Number(element.dataset.from), to: Number(element.dataset.to) }));
      this.words = words();
      const drawing = root.querySelector("svg.ex-map"), wide = html("div", { class: "ex-wide" });
      drawing.replaceWith(wide);
      wide.append(drawing);
      root.append(this.words);
      this.nodes.forEach((node, k) => {
        node.addEventListener("pointerenter", () => this.light(k));
        node.addEventListener("pointerleave", () => this.light(this.focused()));
        node.addEventListener("focus", () => this.light(k));
        node.addEventListener("blur", () => this.light(null));
        node.addEventListener("keydown", (event) => this.press(event, k));
      });
      this.light(null);
    }

    focused() {
      const k = this.nodes.indexOf(document.activeElement);
      return k < 0 ? null : k;
    }

    uses(k) {
      return this.arrows.filter(({ to }) => to === k).map(({ from }) => from);
    }

    usedBy(k) {
      return this.arrows.filter(({ from }) => from === k).map(({ to }) => to);
    }

    // All that can be reached by going on and on.
    closure(k, next) {
      const found = new Set([k]);
      for (const each of found) next(each).forEach((other) => found.add(other));
      return found;
    }

    light(k) {
      const above = k === null ? new Set() : this.closure(k, (each) => this.uses(each));
      const below = k === null ? new Set() : this.closure(k, (each) => this.usedBy(each));
      const lit = (set, ...ends) => ends.every((end) => set.has(end));
      this.nodes.forEach((node, each) => node.classList.toggle("ex-dim", k !== null && !above.has(each) && !below.has(each)));
      this.arrows.forEach(({ element, from, to }) => {
        const on = lit(above, from, to) || lit(below, from, to);
        element.classList.toggle("ex-lit", on);
        element.classList.toggle("ex-dim", k !== null && !on);
      });
      if (k === null) return this.words.replaceChildren(html("span", { class: "pg-muted" }, HINT));
      const names = (list) => list.map((each) => this.nodes[each].getAttribute("aria-label")).join("; ") || "none of the others";
      this.words.replaceChildren(html("b", {}, `${this.nodes[k].getAttribute("aria-label")}.`), ` It uses ${names(this.uses(k))}. `,
        this.usedBy(k).length ? `It is used by ${names(this.usedBy(k))}.` : "No other result uses it.");
    }

    // The arrow keys go to a result above or below, or beside it in the same layer.
    press(event, k) {
      const place = (each) => [Number(this.nodes[each].dataset.x), Number(this.nodes[each].dataset.y)], [x, y] = place(k);
      const nearest = (list) => [...list].sort((a, b) => Math.abs(place(a)[0] - x) - Math.abs(place(b)[0] - x))[0];
      const beside = (sign) => this.nodes.map((_, each) => each).filter((each) => place(each)[1] === y && sign * (place(each)[0] - x) > 0);
      const to = { ArrowUp: () => nearest(this.uses(k)), ArrowDown: () => nearest(this.usedBy(k)), ArrowLeft: () => nearest(beside(-1)), ArrowRight: () => nearest(beside(1)) }[event.key];
      if (!to) return;
      event.preventDefault();
      event.stopPropagation(); // the page has no use for it
      this.nodes[to() ?? k].focus();
    }
  });
})();

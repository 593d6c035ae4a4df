// The scorecard of the report, filtered by what its rows carry as data.

(function () {
  "use strict";

  const { button, html, plural } = window.infwalk.dom;
  const { Choice, controls, define } = window.infwalk.charts;

  const FILTERS = { verdict: "verdict", table: "table or topic", network: "network", kind: "kind" };

  define("scorecard", class {
    constructor(root, data) {
      this.rows = [...root.querySelectorAll("tbody tr")];
      this.names = data.names;
      this.state = Object.fromEntries(Object.keys(FILTERS).map((key) => [key, ""]));
      this.choices = Object.fromEntries(Object.entries(FILTERS).map(([key, label]) => [key, new Choice(label, (value) => this.change({ [key]: value }))]));
      this.count = html("p", { class: "pg-state", role: "status" });
      this.all = button("Show all", () => this.change(Object.fromEntries(Object.keys(FILTERS).map((key) => [key, ""]))));
      root.prepend(html("div", { class: "pg-panel ex-panel" }, controls(...Object.values(this.choices).map(({ element }) => element), this.all), this.count));
      this.draw();
    }

    change(values) {
      Object.assign(this.state, values);
      this.draw();
    }

    // Whether a row passes all filters, or all but one.
    passes(row, except = null) {
      return Object.entries(this.state).every(([key, value]) => key === except || !value || this.values(row, key).includes(value));
    }

    // A row may be about several networks.
    values(row, key) {
      return key === "network" ? row.dataset.network.split(" ").filter(Boolean) : [row.dataset[key]];
    }

    draw() {
      let shown = 0;
      for (const row of this.rows) shown += !(row.hidden = !this.passes(row));
      for (const [key, choice] of Object.entries(this.choices)) {
        const left = this.rows.filter((row) => this.passes(row, key)), options = [...new Set(this.rows.flatMap((row) => this.values(row, key)))];
        const number = (value) => left.filter((row) => this.values(row, key).includes(value)).length;
        choice.show([["", `all (${left.length})`], ...options.map((value) => [value, `${this.names[value] ?? value} (${number(value)})`])], this.state[key]);
      }
      this.all.disabled = Object.values(this.state).every((value) => !value);
      this.count.textContent = `${shown} of ${plural(this.rows.length, "row", "rows")} shown.`;
    }
  });
})();

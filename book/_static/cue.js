// Mark what is wider than its column by the sides on which more of it is hidden; custom.css fades these sides.
(function () {
  "use strict";

  const WIDE = ".pst-scrollable-table-container, .ex-wide, figure, div.math mjx-container, div.cell pre, .check-badge";

  function mark(element) {
    const hidden = element.scrollWidth - element.clientWidth;
    const sides = [];
    if (hidden > 1 && element.scrollLeft > 1) sides.push("left");
    if (hidden > 1 && element.scrollLeft < hidden - 1) sides.push("right");
    if (sides.length && /auto|scroll/.test(getComputedStyle(element).overflowX)) element.dataset.more = sides.join(" ");
    else delete element.dataset.more;
  }

  const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => mark(target)));
  const watch = () => document.querySelectorAll(WIDE).forEach((element) => observer.observe(element));
  document.addEventListener("DOMContentLoaded", watch);
  window.addEventListener("load", () => window.MathJax?.startup?.promise?.then(watch));
  document.addEventListener("scroll", ({ target }) => target.matches?.(WIDE) && mark(target), { capture: true, passive: true });
})();

// What all figures to touch share: elements, numbers as a reader wants them, and the theme.

(function () {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";

  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes ?? {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return element;
  }

  const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  const set = (element, attributes) => fill(element, attributes, []);
  const button = (words, onclick) => html("button", { type: "button", onclick }, words);

  // Three digits, a true minus sign, no exponent where it can be avoided.
  function number(x) {
    if (Number.isNaN(x)) return "undefined";
    if (Math.abs(x) === Infinity) return x < 0 ? "−∞" : "∞";
    if (Math.abs(x) < 1e-9) return "0";
    const text = Math.abs(x) < 0.001 ? x.toExponential(1) : String(Number(x.toPrecision(3)));
    return text.replaceAll("-", "−");
  }

  const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

  // Light or dark, on a page of the book and in JupyterLab.
  function theme() {
    const dark = document.documentElement.dataset.theme === "dark";
    const lab = document.body.dataset.jpThemeLight === "false";
    return dark || lab ? "dark" : "light";
  }

  // JupyterLab takes the arrow keys for itself, unless the element that has the focus says that it must not.
  document.addEventListener("focusin", ({ target }) => {
    if (target.closest(".playground")) target.setAttribute("data-lm-suppress-shortcuts", "");
  });

  window.infwalk = window.infwalk ?? {};
  window.infwalk.dom = { button, html, number, plural, set, svg, theme };
})();

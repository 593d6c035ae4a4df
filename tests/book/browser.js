// What must hold of a page as the browser shows it; each check returns the problems it found.

window.checks = (() => {
  const TEX = /\\[()[\]]|\$\$|\\begin\b|\\[a-zA-Z]+\s*[{_^]|\$[^$\n]*[\\^_][^$\n]*\$/;
  const PICTURES = 'img, svg:is([role="img"], [role="application"], [role="group"])';
  const FILE_NAME = /\.(png|svg|jpe?g|gif|webp)$/i;
  const SMALLEST_TEXT = 12;
  const LARGE_TEXT = 24;
  const LARGE_BOLD_TEXT = 18.66;

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const article = () => document.querySelector("article") ?? document.body;
  const brief = (text) => JSON.stringify(text.trim().replace(/\s+/g, " ").slice(0, 60));
  const unique = (problems) => [...new Set(problems)];

  function isShown(element) {
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  }

  function shownTexts(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      const hidden = parent.closest("script, style, noscript, mjx-container") || !isShown(parent);
      if (walker.currentNode.data.trim() && !hidden) texts.push(walker.currentNode);
    }
    return texts;
  }

  // Open what a reader can open, so that the other checks see it.
  function unfold() {
    all("details").forEach((element) => (element.open = true));
    all(".toggle-button-hidden").forEach((button) => button.click());
  }

  function math() {
    const raw = shownTexts(document.body).filter(
      (text) => !text.parentElement.closest("pre, code") && TEX.test(text.data),
    );
    const left = all(".math").filter((element) => !element.querySelector("mjx-container svg"));
    const wrong = all("mjx-container").filter((element) =>
      element.querySelector('[data-mjx-error], [data-mml-node="merror"], [fill="red"]'),
    );
    return [
      ...left.map((element) => `not typeset: ${brief(element.textContent)}`),
      ...wrong.map((element) => `typeset with an error: ${brief(element.parentElement.outerHTML)}`),
      ...raw.map((text) => `raw TeX: ${brief(text.data)}`),
      ...(TEX.test(document.title) ? [`raw TeX in the title: ${brief(document.title)}`] : []),
    ];
  }

  function describes(text) {
    return Boolean(text?.trim()) && !FILE_NAME.test(text.trim()) && !TEX.test(text);
  }

  function figures() {
    const pictures = all(PICTURES, article()).filter(
      (element) => !element.closest('mjx-container, .svg-inline--fa'),
    );
    const problems = [];
    for (const picture of pictures) {
      const name = brief(picture.getAttribute("src") ?? picture.id);
      const words = picture.getAttribute("alt") ?? picture.getAttribute("aria-label");
      if (!describes(words)) problems.push(`${name}: no alternative text`);
      if (!picture.closest("figure, section[aria-label]")) problems.push(`${name}: outside any figure`);
      if (picture.tagName === "IMG" && !(picture.complete && picture.naturalWidth > 0))
        problems.push(`${name}: did not load`);
    }
    for (const figure of all("figure", article())) {
      if (!figure.querySelector("figcaption")?.textContent.trim())
        problems.push(`figure ${figure.id}: no caption`);
      if (!figure.querySelector(PICTURES))
        problems.push(`figure ${figure.id}: no picture`);
    }
    return problems;
  }

  function scrollsInside(element) {
    for (let parent = element; parent !== article(); parent = parent.parentElement)
      if (/auto|scroll/.test(getComputedStyle(parent).overflowX)) return true;
    return false;
  }

  function overflow() {
    const page = document.scrollingElement.scrollWidth;
    const wide = all("*", article()).filter(
      (element) =>
        isShown(element) &&
        element.getBoundingClientRect().right > innerWidth + 1 &&
        !element.closest("svg, mjx-container, .visually-hidden, .sr-only") &&
        !scrollsInside(element.parentElement),
    );
    return unique([
      ...(page > innerWidth + 1 ? [`the page is ${page} wide in a window of ${innerWidth}`] : []),
      ...wide.map((element) => `cut off: <${element.localName} class="${element.className}">`),
    ]);
  }

  function smallText() {
    const size = (text) => parseFloat(getComputedStyle(text.parentElement).fontSize);
    return shownTexts(article())
      .filter((text) => size(text) < SMALLEST_TEXT)
      .map((text) => `text of ${size(text)} px: ${brief(text.data)}`);
  }

  // A colour as the browser itself reads it: red, green, blue from 0 to 255 and alpha up to 1.
  const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const seen = new Map();
  function rgba(colour) {
    if (!seen.has(colour)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
      const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data;
      seen.set(colour, [red, green, blue, alpha / 255]);
    }
    return seen.get(colour);
  }

  function over([red, green, blue, alpha], below) {
    return [red, green, blue].map((value, k) => alpha * value + (1 - alpha) * below[k]);
  }

  // The colour behind an element, and how opaque all that it is part of is.
  function backdrop(element, known) {
    if (!element) return { colour: rgba("Canvas").slice(0, 3), opacity: 1 };
    if (!known.has(element)) {
      const { colour, opacity } = backdrop(element.parentElement, known);
      const style = getComputedStyle(element);
      known.set(element, {
        colour: over(rgba(style.backgroundColor), colour),
        opacity: opacity * parseFloat(style.opacity),
      });
    }
    return known.get(element);
  }

  // Relative luminance and contrast as WCAG 2 defines them.
  function luminance(colour) {
    const [red, green, blue] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function ratio(style, { colour, opacity }) {
    const [red, green, blue, alpha] = rgba(style.color);
    const ink = over([red, green, blue, alpha * opacity], colour);
    const [bright, dim] = [ink, colour].map(luminance).sort((a, b) => b - a);
    return (bright + 0.05) / (dim + 0.05);
  }

  function needed(style) {
    const size = parseFloat(style.fontSize);
    const large = size >= LARGE_TEXT || (size >= LARGE_BOLD_TEXT && style.fontWeight >= 700);
    return large ? 3 : 4.5;
  }

  function contrast() {
    const ends = (each) => Number.isFinite(each.effect.getComputedTiming().endTime);
    document.getAnimations().filter(ends).forEach((animation) => animation.finish());
    const elements = [
      ...shownTexts(article()).map((text) => text.parentElement),
      ...all("mjx-container", article()).filter(isShown),
    ];
    const known = new Map();
    const faint = [...new Set(elements)].flatMap((element) => {
      const style = getComputedStyle(element);
      const found = ratio(style, backdrop(element, known));
      const words = brief(element.textContent || element.parentElement.className);
      const poor = found < needed(style);
      return poor ? [`contrast ${found.toFixed(2)}: <${element.localName}> ${words}`] : [];
    });
    return unique(faint);
  }

  return { unfold, math, figures, overflow, smallText, contrast };
})();

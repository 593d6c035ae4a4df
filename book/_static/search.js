// Search results show titles and passages as plain text, where a formula would appear as TeX.
document.addEventListener("DOMContentLoaded", () => {
  const bare = (title) => title.replace(/\\[()]/g, "").replaceAll("\\infty", "∞");
  const index = Search._index;
  if (index) {
    const titles = Object.entries(index.alltitles);
    index.titles = index.titles.map(bare);
    index.alltitles = Object.fromEntries(titles.map(([title, places]) => [bare(title), places]));
  }
  const asText = Search.htmlToText;
  Search.htmlToText = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    page.querySelectorAll(".math").forEach((formula) => formula.replaceWith("…"));
    return asText(page.documentElement.outerHTML, anchor);
  };
});

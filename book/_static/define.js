// While the pointer is on a formula, show what its main symbols mean. Escape and scrolling close the note.
document.addEventListener("DOMContentLoaded", () => {
  const note = document.createElement("div");
  note.className = "definition";
  note.setAttribute("role", "tooltip");
  note.hidden = true;
  document.body.append(note);

  const hide = () => (note.hidden = true);
  const show = (formula) => {
    note.textContent = formula.dataset.define;
    note.hidden = false;
    const { left, top, bottom } = formula.getBoundingClientRect();
    const below = bottom + 6 + note.offsetHeight <= innerHeight;
    note.style.left = `${Math.max(8, Math.min(left, innerWidth - note.offsetWidth - 8))}px`;
    note.style.top = `${below ? bottom + 6 : top - 6 - note.offsetHeight}px`;
  };
  document.addEventListener("pointerover", ({ target }) => {
    const formula = target.closest(".math[data-define]");
    if (formula) show(formula);
    else if (target !== note) hide();
  });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("scroll", hide, { capture: true, passive: true });
});

// The operator's table: keys, a published card that flies to the board, and fields that are empty again after a whisper.
const table = document.getElementById("table");
const switcher = table.querySelector("[data-keys]");
const still = matchMedia("(prefers-reduced-motion: reduce)");
const seen = new Set(slips());

switcher.addEventListener("click", () => {
  switcher.setAttribute("aria-pressed", String(switcher.getAttribute("aria-pressed") !== "true"));
});

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === "Escape") return document.activeElement?.blur();
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (switcher.getAttribute("aria-pressed") !== "true") return;
  const goes = { n: "[data-next]", b: "#board", a: "#answers" }[event.key.toLowerCase()] ?? room(event.key);
  const place = goes && table.querySelector(goes);
  if (!place || place.disabled) return;
  event.preventDefault();
  if (place.dataset.next === undefined) place.focus();
  else if (!event.repeat) place.click();
});

function room(key) {
  return /^[1-9]$/.test(key) ? `[data-room="${key}"]` : null;
}

document.addEventListener("htmx:after:request", (event) => {
  const button = event.target;
  const answered = event.detail?.ctx?.response?.raw?.ok ?? event.detail?.ctx?.response?.status < 400;
  if (answered && button.dataset?.clears !== undefined) button.form.reset();
});

document.addEventListener("htmx:after:swap", () => {
  for (const slip of table.querySelectorAll("[data-original]")) {
    if (seen.has(slip.id)) continue;
    seen.add(slip.id);
    const card = document.getElementById(`card-${slip.dataset.original}`);
    if (card && !still.matches) fly(slip, card.getBoundingClientRect(), slip.getBoundingClientRect());
  }
});

function slips() {
  return [...table.querySelectorAll("[data-original]")].map((slip) => slip.id);
}

function fly(slip, from, to) {
  const away = `translate(${from.left - to.left}px, ${from.top - to.top}px) rotate(3deg)`;
  slip.animate([{ transform: away, opacity: 0.6 }, { transform: "none", opacity: 1 }], { duration: 480, easing: "cubic-bezier(.2, .8, .3, 1)" });
}

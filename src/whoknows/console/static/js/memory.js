// The memory pages: moments in the reader's own zone, filters that are cleared by a button, and which shelf a phone shows.

/** The memory that something was asked for last. */
let doing = "";

function zones(root) {
  const minutes = new Date().getTimezoneOffset();
  for (const field of root.querySelectorAll("input[data-zone]")) {
    field.value = String(minutes);
    field.removeAttribute("data-zone");
  }
  for (const field of root.querySelectorAll("input[data-utc]")) {
    field.removeAttribute("data-utc");
    if (!field.value) continue;
    const at = new Date(`${field.value}Z`);
    field.value = new Date(at.getTime() - minutes * 60000).toISOString().slice(0, 16);
  }
}

function place(root) {
  const field = root.querySelector("[autofocus]");
  if (field && !field.closest("[hidden]")) field.focus();
}

function current() {
  const chosen = location.hash || document.querySelector(".sections a")?.hash;
  for (const link of document.querySelectorAll(".sections a")) {
    if (link.hash === chosen) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

// Where there is little room, the filters are folded away until they are wanted.
const narrowing = document.querySelector(".narrowing");
if (narrowing && "folds" in narrowing.dataset && matchMedia("(max-width: 900px)").matches) narrowing.open = false;

zones(document);
current();
addEventListener("hashchange", current);
document.addEventListener("htmx:after:swap", (event) => {
  zones(document);
  current();
  if (event.target.id === "new" || event.target.classList?.contains("kept")) place(event.target);
  // What had the focus may be gone: it goes on at the same memory.
  if (document.activeElement === document.body && doing) document.querySelector(`#${doing} .panel button, #${doing} a, #${doing} summary`)?.focus();
});
document.addEventListener("htmx:before:request", (event) => { doing = event.target.closest?.(".kept")?.id || ""; });

// What is asked for is asked for no more: the form is emptied before its button sends.
document.addEventListener("click", (event) => {
  const clearing = event.target.closest("[data-clears]");
  if (clearing) {
    const form = document.querySelector(clearing.dataset.clears);
    for (const field of form.querySelectorAll("input:not([type='hidden'], [type='checkbox'])")) field.value = "";
    for (const field of form.querySelectorAll("input[type='checkbox']")) field.checked = false;
    for (const field of form.querySelectorAll("select")) field.selectedIndex = 0;
  }
}, true);

// A deletion that was refused brings its card back; the notice says why.
document.addEventListener("htmx:response:error", (event) => {
  const card = event.target.closest?.(".kept")?.querySelector(".card[hidden]");
  if (card) card.hidden = false;
});

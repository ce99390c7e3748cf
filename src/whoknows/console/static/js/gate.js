// Keys of the review: a admits, e edits, r refuses, j and k move, ? shows them. While somebody types, letters are letters.
// What is captured meanwhile is asked for, and told as a thin line where it waits.
const room = document.querySelector("[data-waits-for-keys]");
let asking = false;

const stream = new EventSource(room.dataset.live);
stream.addEventListener("memory.captured", () => document.body.dispatchEvent(new Event("captured")));
addEventListener("pagehide", () => stream.close());

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") return leave();
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat || asking) return;
  if (isTyping(event.target) || document.querySelector("dialog[open], details.menu[open]")) return;
  const place = room.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!place) return;
  event.preventDefault();
  if (place instanceof HTMLFormElement) place.requestSubmit();
  else if (place instanceof HTMLDetailsElement) open(place);
  else place.click();
});

room.addEventListener("htmx:before:request", () => { asking = true; });
document.addEventListener("htmx:finally:request", () => { asking = false; });
document.addEventListener("htmx:after:swap", () => {
  if (document.activeElement === document.body) room.querySelector("#document, .queue a, .whole a")?.focus();
  room.querySelector(".queue [aria-current]")?.scrollIntoView({ block: "nearest" });
});

function isTyping(element) {
  return element.isContentEditable || element.matches("input, textarea, select");
}

function open(details) {
  details.open = true;
  const field = details.querySelector("textarea");
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Escape closes what was opened, and the letters are keys again. */
function leave() {
  const open = room.querySelector("details.fold[open]");
  if (!open) return;
  open.open = false;
  open.querySelector("summary").focus();
}

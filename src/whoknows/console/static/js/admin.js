// Copying a key that is shown once, and leading the eye to it and past it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copies);
  select(source);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = button.dataset.copied;
  } catch {
    source.focus?.(); // no clipboard here: it stands selected, ready for the keyboard
  }
});

// Loading the page again goes on, instead of sending the form another time.
const next = document.querySelector("[data-goes-on]");
if (next) history.replaceState(null, "", next.dataset.goesOn);

document.addEventListener("htmx:after:swap", () => document.querySelector("#once .once")?.focus());

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

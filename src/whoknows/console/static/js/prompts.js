// Prompts: what is typed and not saved says so, and asks before the page is left.
const guarded = () => [...document.querySelectorAll("form[data-guards] textarea")];
const isUnsaved = (area) => area.value !== area.defaultValue || "unsaved" in area.dataset;

document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-guards]");
  if (!form) return;
  const words = form.querySelector("template").content.textContent;
  form.querySelector(".unsaved").textContent = isUnsaved(event.target) ? words : "";
});

addEventListener("beforeunload", (event) => {
  if (guarded().some(isUnsaved)) event.preventDefault();
});

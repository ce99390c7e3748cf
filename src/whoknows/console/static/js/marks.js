// "Show it in the text": selects the characters that a finding is about, in the field that they were typed into.
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-marks]");
  if (!button) return;
  const end = Number(button.dataset.end);
  const names = [button.dataset.marks, button.dataset.marks.replace(/_id$/, ""), "text", "content"];
  const fields = names.flatMap((name) => [...document.querySelectorAll(`input[name="${CSS.escape(name)}"], textarea[name="${CSS.escape(name)}"]`)]);
  // Characters are counted as code points; a field counts halves of pairs.
  const field = fields.find((f) => f.checkVisibility() && [...f.value].length >= end);
  if (!field) return;
  const points = [...field.value];
  field.focus();
  field.setSelectionRange(points.slice(0, Number(button.dataset.begin)).join("").length, points.slice(0, end).join("").length);
});

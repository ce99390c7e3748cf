// The guide is told anew after each thing that is done on the page beside it.
const guide = document.getElementById("guide");
let again;

document.addEventListener("htmx:after:swap", (event) => {
  if (!guide || guide.contains(event.target)) return;
  clearTimeout(again);
  again = setTimeout(() => guide.dispatchEvent(new CustomEvent("refresh")), 400);
});

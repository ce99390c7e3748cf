// The floor of a trace can be moved: what would be answered at another floor, from the scores that are there.

for (const lanes of document.querySelectorAll(".lanes")) begin(lanes);

function begin(lanes) {
  const slider = lanes.querySelector("input[type=range]");
  const line = lanes.querySelector("line.floor");
  const would = lanes.querySelector(".would");
  const limit = Number(lanes.dataset.limit) || Infinity;
  const scores = [...lanes.querySelectorAll("[data-score]")]
    .map((dot) => ({ memory: dot.dataset.memory, score: Number(dot.dataset.score) }))
    .sort((a, b) => b.score - a.score);
  slider.hidden = false;
  slider.addEventListener("input", () => {
    const floor = Number(slider.value);
    const x = `${100 * floor}%`;
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    const given = new Set(scores.filter((s, n) => s.score >= floor && n < limit).map((s) => s.memory));
    for (const part of document.querySelectorAll(".trace [data-memory]")) part.classList.toggle("would-be", given.has(part.dataset.memory));
    lanes.closest(".trace").classList.add("moved");
    const told = lanes.dataset.says.replace("{floor}", floor.toFixed(2)).replace("{n}", String(given.size));
    would.textContent = told;
    slider.setAttribute("aria-valuetext", told);
  });
}

document.addEventListener("pointerover", (event) => {
  const over = event.target.closest(".trace [data-memory]");
  for (const part of document.querySelectorAll(".trace .same")) part.classList.remove("same");
  if (!over) return;
  for (const part of document.querySelectorAll(`.trace [data-memory="${over.dataset.memory}"]`)) part.classList.add("same");
});

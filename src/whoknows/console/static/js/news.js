// "3 new": an element with data-news counts events of the named kinds, and shows its button; nothing else moves unasked.
// <div data-news="/console/live" data-kinds="memory.captured memory.edited" data-says="{n} new"><button class="news" hidden></button></div>
// With data-fresh, what stands on the page already is not new.
for (const line of document.querySelectorAll("[data-news]")) follow(line);

function follow(line) {
  const button = line.querySelector("button");
  line.setAttribute("aria-live", "polite");
  const stream = new EventSource(line.dataset.news);
  const seen = new Set();
  const told = () => {
    for (const id of seen) if ("fresh" in line.dataset && document.querySelector(`[data-memory="${CSS.escape(id)}"]`)) seen.delete(id);
    button.textContent = line.dataset.says.replace("{n}", String(seen.size));
    button.hidden = seen.size === 0;
  };
  const count = (event) => {
    const about = JSON.parse(event.data);
    seen.add(about.memory_id || about.id);
    told();
  };
  document.addEventListener("htmx:after:swap", told);
  for (const kind of line.dataset.kinds.split(" ")) stream.addEventListener(kind, count);
  button.addEventListener("click", () => { seen.clear(); button.hidden = true; });
  addEventListener("pagehide", () => stream.close());
}

// What every page does: local times, closing notices and menus, the pause before something is deleted, and news.
import "./undo.js";
import "./news.js";
import "./marks.js";

/** Show the times within `root` in the reader's own zone; the server wrote them in UTC. */
function localTimes(root) {
  const language = document.documentElement.lang.slice(0, 2);
  const own = navigator.languages.find((l) => l.startsWith(language)) || document.documentElement.lang;
  const form = new Intl.DateTimeFormat(own, { dateStyle: "medium", timeStyle: "short" });
  for (const time of root.querySelectorAll("time[datetime]:not([data-local])")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.title = `${time.textContent} UTC`;
    time.textContent = form.format(at);
    time.dataset.local = "";
  }
}

localTimes(document);
// Where there is no room for all tabs or rooms, the present one is in sight.
for (const chosen of document.querySelectorAll(":is(.tabs, .rail) [aria-current]")) {
  const tabs = chosen.parentElement;
  tabs.scrollLeft = chosen.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - chosen.offsetWidth) / 2;
}
document.addEventListener("htmx:after:swap", () => localTimes(document));

document.addEventListener("click", (event) => {
  const closing = event.target.closest("[data-closes]");
  if (closing) closing.closest(closing.dataset.closes)?.remove();
  const opening = event.target.closest("[data-opens]");
  if (opening) document.getElementById(opening.dataset.opens)?.showModal();
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

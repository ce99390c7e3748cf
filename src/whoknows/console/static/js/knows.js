// The matrix of who knows what: long tables a stretch at a time, moving by keyboard, and the reason behind each cell.
import { Keys } from "./knows_keys.js";
import { Rows } from "./knows_rows.js";

const side = document.getElementById("why");
let opened = null;

function begin() {
  const table = document.querySelector("table[data-grid]:not([data-ready])");
  if (!table) return;
  table.dataset.ready = "";
  shut(false);
  const rows = new Rows(table, () => keys?.arrived());
  const keys = new Keys(table, rows, (cell) => open(table, cell));
}

/** The rule behind a cell, who a column is, or a memory's own page. */
async function open(table, cell) {
  const memory = cell.closest("tr").dataset.memory;
  const space = table.tHead.rows[0].cells[cell.cellIndex].dataset.space;
  if (memory && !space) return location.assign(cell.querySelector("a").href);
  if (!space) return;
  opened?.classList.remove("open");
  opened = cell;
  cell.classList.add("open");
  const asked = memory ? { memory, reader: space } : { reader: space };
  await htmx.ajax("POST", memory ? table.dataset.why : table.dataset.reader, { source: side, target: side, swap: "innerHTML", values: asked });
  if (opened !== cell || !side.firstElementChild) return;
  side.hidden = false;
  side.focus();
}

function shut(back = true) {
  if (side.hidden) return;
  side.hidden = true;
  side.replaceChildren();
  opened?.classList.remove("open");
  if (back && opened?.isConnected) opened.focus();
  else if (back) document.querySelector("table[data-grid]")?.focus();
  opened = null;
}

side?.addEventListener("click", (event) => { if (event.target.closest("[data-shuts]")) shut(); });
document.addEventListener("keydown", (event) => { if (event.key === "Escape" && side && !side.hidden) shut(); });
document.addEventListener("htmx:after:swap", begin);
begin();

// The rows near the viewport of a table as long as it is: stretches of them are fetched when they come near, and leave with it.
const NEAR = 25; // rows above and below what is seen
const PAUSE = 90; // ms: what only flies past is not fetched

export class Rows {
  /** `arrived` is called whenever rows have come that were not there. */
  constructor(table, arrived) {
    this.table = table;
    this.pane = table.parentElement;
    this.arrived = arrived;
    this.total = Number(table.dataset.memories);
    this.size = Number(table.dataset.size);
    this.marks = table.dataset.marks.split(" ").filter(Boolean);
    const first = table.querySelector("tbody");
    this.height = first.getBoundingClientRect().height / first.rows.length || 40;
    this.above = spacer();
    this.below = spacer();
    first.before(this.above);
    first.after(this.below);
    this.parts = new Map([[0, first]]);
    this.pane.addEventListener("scroll", () => requestAnimationFrame(() => this.settle()), { passive: true });
    new ResizeObserver(() => this.settle()).observe(this.pane);
    this.settle();
  }

  /** The row at `place` (from 0), or undefined while it is on its way. */
  row(place) {
    const row = this.parts.get(Math.floor(place / this.size))?.rows[place % this.size];
    return row?.dataset.memory ? row : undefined;
  }

  /** Scroll so that the row at `place` is within sight below the head. */
  show(place) {
    const head = this.table.tHead.offsetHeight;
    const top = place * this.height;
    const seen = this.pane.clientHeight - head;
    if (top < this.pane.scrollTop) this.pane.scrollTop = top;
    else if (top + this.height > this.pane.scrollTop + seen) this.pane.scrollTop = top + this.height - seen;
    this.settle();
  }

  get screenful() {
    return Math.max(1, Math.floor((this.pane.clientHeight - this.table.tHead.offsetHeight) / this.height) - 1);
  }

  settle() {
    if (!this.table.isConnected) return;
    const top = this.pane.scrollTop / this.height;
    const last = Math.max(0, Math.ceil(this.total / this.size) - 1);
    const from = Math.min(last, Math.max(0, Math.floor((top - NEAR) / this.size)));
    const to = Math.min(last, Math.floor((top + this.pane.clientHeight / this.height + NEAR) / this.size));
    for (const [chunk, part] of this.parts) {
      if (chunk >= from && chunk <= to) continue;
      if (part.contains(document.activeElement)) this.table.focus({ preventScroll: true });
      part.remove();
      this.parts.delete(chunk);
    }
    for (let chunk = from; chunk <= to; chunk++) {
      if (this.parts.has(chunk)) continue;
      const part = this.waiting(chunk);
      const next = [...this.parts.keys()].filter((other) => other > chunk).sort((a, b) => a - b)[0];
      (next === undefined ? this.below : this.parts.get(next)).before(part);
      this.parts.set(chunk, part);
      this.timer ||= setTimeout(() => this.fetch(), PAUSE);
    }
    stretch(this.above, from * this.size * this.height);
    stretch(this.below, (this.total - Math.min(this.total, (to + 1) * this.size)) * this.height);
  }

  waiting(chunk) {
    const part = spacer();
    part.className = "waiting";
    part.dataset.chunk = String(chunk);
    part.rows[0].cells[0].textContent = this.table.dataset.loading;
    stretch(part, Math.min(this.size, this.total - chunk * this.size) * this.height);
    return part;
  }

  fetch() {
    this.timer = undefined;
    for (const part of this.parts.values()) {
      if (part.dataset.chunk === undefined || part.dataset.asked) continue;
      part.dataset.asked = "";
      this.load(Number(part.dataset.chunk), part);
    }
  }

  async load(chunk, part) {
    const asked = Object.fromEntries(new FormData(this.table.closest("section").querySelector("form.asked")));
    asked.place = String(chunk * this.size);
    if (chunk) asked.before = this.marks[chunk - 1];
    if (this.marks[chunk]) asked.until = this.marks[chunk];
    await htmx.ajax("POST", this.table.dataset.rows, { source: part, target: part, swap: "outerHTML", values: asked });
    const come = this.table.querySelector(`tbody[data-place="${asked.place}"]`);
    if (!come) return;
    this.parts.set(chunk, come);
    this.arrived();
  }
}

function spacer() {
  const part = document.createElement("tbody");
  part.setAttribute("role", "presentation");
  const row = part.insertRow();
  row.setAttribute("aria-hidden", "true");
  row.insertCell().colSpan = 1000;
  return part;
}

function stretch(part, height) {
  part.hidden = height <= 0;
  part.rows[0].style.height = `${Math.max(0, height)}px`;
}

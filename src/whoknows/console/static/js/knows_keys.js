// Moving through the cells of the matrix by keyboard: one of them is in the tab order, arrows go on from there.

export class Keys {
  /** `open` is called with the cell that is to be explained. */
  constructor(table, rows, open) {
    this.table = table;
    this.rows = rows;
    this.row = -1; // the head
    this.column = 0;
    this.wanted = false;
    table.tabIndex = -1;
    table.addEventListener("keydown", (event) => this.pressed(event, open));
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td, th");
      if (!cell || !this.find(cell)) return;
      if (event.target.closest("a") && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
      event.preventDefault();
      this.put(false);
      open(cell);
    });
    table.addEventListener("focusin", (event) => {
      const cell = event.target.closest("td, th");
      if (cell && this.find(cell)) this.put(false);
    });
    this.row = 0;
    this.put(false);
  }

  /** Where `cell` is, taken over as the present one; false for what is none. */
  find(cell) {
    const row = cell.closest("tr");
    if (!row.ariaRowIndex) return false;
    this.row = Number(row.ariaRowIndex) - 2;
    this.column = cell.cellIndex;
    return true;
  }

  cell() {
    const row = this.row < 0 ? this.table.tHead.rows[0] : this.rows.row(this.row);
    return row?.cells[this.column];
  }

  /** Put the present cell into the tab order, and the focus on it; where it is still on its way, when it comes. */
  put(focus) {
    const cell = this.cell();
    this.wanted = focus && !cell;
    if (cell) cell.tabIndex = 0;
    if (cell && focus) {
      cell.focus({ preventScroll: true });
      aside(this.table.parentElement, cell);
    }
    // Last, and never the present one: what loses its place in the tab order loses the focus too.
    for (const other of this.table.querySelectorAll("[tabindex='0']")) if (other !== cell && cell) other.removeAttribute("tabindex");
  }

  arrived() {
    if (this.wanted || !this.table.querySelector("[tabindex='0']")) this.put(this.wanted);
  }

  pressed(event, open) {
    if (event.altKey || event.metaKey) return;
    const far = event.ctrlKey;
    const last = this.rows.total - 1;
    const right = this.table.tHead.rows[0].cells.length - 1;
    switch (event.key) {
      case "ArrowDown": this.row += 1; break;
      case "ArrowUp": this.row -= 1; break;
      case "ArrowRight": this.column += 1; break;
      case "ArrowLeft": this.column -= 1; break;
      case "PageDown": this.row += this.rows.screenful; break;
      case "PageUp": this.row -= this.rows.screenful; break;
      case "Home": this.column = 0; if (far) this.row = 0; break;
      case "End": this.column = right; if (far) this.row = last; break;
      case "Enter": case " ": {
        const cell = this.cell();
        event.preventDefault();
        if (cell) open(cell);
        return;
      }
      default: return;
    }
    event.preventDefault();
    this.row = Math.min(last, Math.max(-1, this.row));
    this.column = Math.min(right, Math.max(0, this.column));
    if (this.row >= 0) this.rows.show(this.row);
    this.put(true);
  }
}

/** Scroll sideways so that the cell is not behind the first column. */
function aside(pane, cell) {
  if (cell.cellIndex === 0) return;
  const hidden = pane.querySelector("th.corner").offsetWidth;
  const left = cell.offsetLeft - hidden;
  const right = cell.offsetLeft + cell.offsetWidth - pane.clientWidth;
  if (pane.scrollLeft > left) pane.scrollLeft = left;
  else if (pane.scrollLeft < right) pane.scrollLeft = right;
}

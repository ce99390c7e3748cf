// The stage in step with what happens: a light at the door that speaks, a line below, and the board drawn again when it changed.
const stage = document.getElementById("stage");
const ticker = document.getElementById("ticker");
const apart = document.querySelector(".apart-sign");
const doors = new Map([...document.querySelectorAll("[data-role]")].map((door) => [door.dataset.role, door]));
const LINES = 4;
const LIGHT_MS = 6000;
const AGAIN_MS = 2000;
let last = stage.dataset.after;
let drawing = null;
let stale = false;

follow();

function follow() {
  const stream = new EventSource(stage.dataset.events + (last ? `?after=${encodeURIComponent(last)}` : ""));
  for (const kind of ["opened", "whispered", "asked", "published", "board", "reset"]) stream.addEventListener(kind, happened);
  stream.onopen = () => { apart.textContent = ""; };
  stream.onerror = () => {
    apart.textContent = apart.dataset.apart;
    if (stream.readyState !== EventSource.CLOSED) return; // the browser comes back by itself, with the last event it got
    // Something in between said no, or the key has ended: the board says which, and leads to the door in that case.
    setTimeout(() => { draw().then(follow, follow); }, AGAIN_MS);
  };
  addEventListener("pagehide", () => stream.close(), { once: true });
}

function happened(event) {
  last = event.lastEventId;
  const about = JSON.parse(event.data);
  const says = sentence(about);
  if (about.kind === "reset") for (const door of doors.values()) caption(door, "");
  const door = doors.get(about.role);
  if (door) {
    caption(door, says);
    light(door);
  }
  tell(about, door, says);
  if (["published", "board", "reset"].includes(about.kind)) draw();
}

function sentence(about) {
  if (about.kind === "asked") return about.outcome === "known" ? stage.dataset.known : stage.dataset.unknown;
  return { whispered: stage.dataset.whispered, published: stage.dataset.published, board: stage.dataset.changed, reset: stage.dataset.reset }[about.kind] ?? "";
}

function caption(door, says) {
  door.querySelector(".last").textContent = says;
}

function light(door) {
  door.classList.add("speaking");
  clearTimeout(Number(door.dataset.timer));
  door.dataset.timer = String(setTimeout(() => door.classList.remove("speaking"), LIGHT_MS));
}

function tell(about, door, says) {
  const line = document.createElement("li");
  line.dataset.kind = about.kind;
  if (door) {
    const who = door.querySelector(".who-is").cloneNode(true);
    line.append(who, " ");
  }
  line.append(says);
  ticker.prepend(line);
  while (ticker.children.length > LINES) ticker.lastElementChild.remove();
}

/** Draw the board as it is now. Asked again meanwhile, it is drawn once more afterwards. */
function draw() {
  if (drawing) {
    stale = true;
    return drawing;
  }
  drawing = Promise.resolve(htmx.ajax("GET", stage.dataset.board, { target: "#board", swap: "outerMorph" })).finally(() => {
    drawing = null;
    if (stale) {
      stale = false;
      draw();
    }
  });
  return drawing;
}

const full = document.querySelector("[data-full]");
full.addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
});
document.addEventListener("fullscreenchange", () => {
  full.textContent = document.fullscreenElement ? full.dataset.out : full.dataset.in;
});

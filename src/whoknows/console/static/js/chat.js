// The chat: an answer that appears as it is spoken, Enter to send, Stop, and a menu that arrow keys walk through.
const composer = document.querySelector(".composer");
const turns = document.getElementById("turns");
const stop = composer?.querySelector(".stop");
let speaking = null;

if (turns?.querySelector(".turn") && !location.hash) toTheEnd();

document.addEventListener("submit", (event) => {
  if (!event.target.matches("form.say") || speaking) return event.target.matches("form.say") && event.preventDefault();
  event.preventDefault();
  say(event.target);
});

composer?.message.addEventListener("keydown", (event) => {
  // While characters are being composed, Enter chooses one of them: 229 is what older browsers say then.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  if (matchMedia("(pointer: coarse)").matches) return;
  event.preventDefault();
  composer.requestSubmit();
});

stop?.addEventListener("click", () => speaking?.abort());

async function say(form) {
  const said = form.elements.message.value;
  if (!said.trim()) return;
  const body = new URLSearchParams(new FormData(form));
  const place = begin(form, said);
  speaking = new AbortController();
  busy(true);
  let fault = null;
  try {
    await listen(form, body, place);
  } catch (error) {
    fault = error;
  }
  speaking = null;
  busy(false);
  if (place.message) return settle(place);
  // It had not arrived, as far as one can tell from here: what was typed comes back.
  place.back();
  if (!composer.message.value) composer.message.value = form === composer ? said : "";
  if (fault instanceof Refused) return fault.show();
  tell(fault?.name === "AbortError" ? composer.dataset.stopped : composer.dataset.lost);
}

/** The turn as it looks until the server has said how it ended. For a message that is asked again it takes that one's place. */
function begin(form, said) {
  const turn = document.getElementById("turn-begun").content.firstElementChild.cloneNode(true);
  turn.querySelector(".said .text").textContent = said;
  const before = form.closest(".turn");
  const hello = turns.querySelector(".hello");
  if (before) before.replaceWith(turn);
  else turns.append(turn);
  hello?.remove();
  if (form === composer) composer.message.value = "";
  toTheEnd();
  const back = () => {
    if (before) turn.replaceWith(before);
    else turn.remove();
    if (hello) turns.append(hello);
  };
  return { turn, back, conversation: "", message: "" };
}

async function listen(form, body, place) {
  const answer = await fetch(form.action, {
    method: "POST",
    body,
    signal: speaking.signal,
    headers: { Accept: "text/event-stream", "HX-Request": "true", "X-CSRF-Token": form.elements.csrf.value },
  });
  const leads = answer.headers.get("HX-Redirect");
  if (leads) return location.assign(leads);
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) throw new Refused(await answer.text());
  const text = place.turn.querySelector(".answer .text");
  for await (const event of eventsOf(answer.body)) {
    if (event.kind === "start") arrived(place, event);
    else if (event.kind === "delta") spoken(text, event.text);
    else if (event.kind === "lost") tell(event.told);
  }
}

function arrived(place, { conversation, message }) {
  Object.assign(place, { conversation, message });
  place.turn.id = `turn-${message}`;
  const field = composer.elements.conversation;
  if (field.value) return;
  field.value = conversation;
  history.replaceState(null, "", `${location.pathname.replace(/\/$/, "")}/${conversation}`);
}

function spoken(text, piece) {
  const near = isNearTheEnd();
  text.append(piece);
  if (near) toTheEnd();
}

/** How the turn ended, with what it rests on, is for the server to say. */
async function settle(place) {
  const near = isNearTheEnd();
  const path = composer.action.replace(/say$/, place.conversation);
  await htmx.ajax("GET", `${path}/${place.message}`, { target: place.turn, swap: "outerHTML" });
  if (near) toTheEnd();
  const list = composer.action.replace(/say$/, `talks?current=${place.conversation}`);
  await htmx.ajax("GET", list, { target: "#talks-list", swap: "innerHTML" });
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const data = block.match(/^data: (.*)$/m);
      if (data) yield { ...JSON.parse(data[1]), kind: block.match(/^event: (.*)$/m)[1] };
    }
  }
}

/** A fault before the answer began, as the notice that the server made of it. */
class Refused extends Error {
  constructor(page) {
    super("refused");
    this.page = page;
  }

  show() {
    const notice = new DOMParser().parseFromString(this.page, "text/html").querySelector(".notice");
    if (notice) document.getElementById("notices").append(document.adoptNode(notice));
    else tell(composer.dataset.lost);
  }
}

function tell(words) {
  const notice = document.getElementById("notice-begun").content.firstElementChild.cloneNode(true);
  notice.querySelector("p").textContent = words;
  document.getElementById("notices").append(notice);
}

function busy(is) {
  composer.querySelector(".send").disabled = is;
  if (is) stop.hidden = false;
  else if (document.activeElement === stop) composer.message.focus();
  stop.hidden = !is;
  turns.setAttribute("aria-busy", String(is));
}

function isNearTheEnd() {
  const page = document.documentElement;
  return page.scrollHeight - page.clientHeight - page.scrollTop < 160;
}

function toTheEnd() {
  scrollTo({ top: document.documentElement.scrollHeight });
}

// The menu.
const menu = document.querySelector(".menu.more");

menu?.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  menu.open = true;
  const rows = [...menu.querySelectorAll(".row")];
  const at = rows.indexOf(document.activeElement);
  rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : (at + step + rows.length) % rows.length].focus();
});

menu?.addEventListener("click", (event) => {
  const row = event.target.closest(".row");
  if (!row) return;
  menu.open = false;
  if (row.dataset.shows) document.getElementById(row.dataset.shows).showPopover();
});

document.addEventListener("htmx:after:swap", (event) => {
  const form = event.target.closest?.("form[data-returns]") ?? event.detail?.ctx?.sourceElement?.closest?.("form[data-returns]");
  if (form) document.querySelector(form.dataset.returns)?.focus();
});

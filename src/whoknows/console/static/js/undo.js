// Deleting waits: a form with data-waits="10" is sent after so many seconds, unless it is undone. Leaving the page sends it at once.
const waiting = new Set();

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.waits || form.dataset.sure !== undefined) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  begin(form);
}, true);

function begin(form) {
  const subject = form.closest(form.dataset.replaces || "article");
  const said = form.dataset.tells.replace("{seconds}", form.dataset.waits);
  const once = element("span", "hidden", said); // read out once, not every second
  const told = element("span", "", said);
  told.setAttribute("aria-hidden", "true");
  const undo = element("button", "", form.dataset.undo);
  undo.type = "button";
  const strip = element("div", "undo", "");
  strip.setAttribute("role", "status");
  strip.append(once, told, undo);
  subject.hidden = true;
  subject.after(strip);
  undo.focus();
  const wait = { form, subject, strip, left: Number(form.dataset.waits) };
  wait.timer = setInterval(() => {
    wait.left -= 1;
    if (wait.left <= 0) return send(wait);
    told.textContent = form.dataset.tells.replace("{seconds}", String(wait.left));
  }, 1000);
  waiting.add(wait);
  undo.addEventListener("click", () => back(wait));
}

async function send(wait) {
  end(wait);
  const { form, subject, strip } = wait;
  if (form.hasAttribute("hx-post") || waiting.size === 0) {
    form.dataset.sure = "";
    form.addEventListener("htmx:response:error", () => back(wait), { once: true });
    form.requestSubmit();
    leave(strip);
    return;
  }
  // Others still wait: loading the page anew would take away their time to be undone.
  const body = new URLSearchParams(new FormData(form));
  const answer = await fetch(form.action, { method: "POST", body, redirect: "manual", headers: { "HX-Request": "true" } });
  if (answer.type === "opaqueredirect" || answer.ok) {
    subject.remove();
    leave(strip);
    return;
  }
  const notice = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.getElementById("notices").append(...notice.body.children);
  back(wait);
}

function back(wait) {
  end(wait);
  delete wait.form.dataset.sure;
  wait.strip.remove();
  wait.subject.hidden = false;
  (wait.subject.querySelector("button, a, summary") || wait.subject).focus?.();
}

/** The strip goes. A focus that was in it goes on to what follows, and not to the top of the page. */
function leave(strip) {
  const had = strip.contains(document.activeElement);
  const places = had ? [...document.querySelectorAll("main :is(a[href], button, summary, input, select, textarea)")] : [];
  const open = places.filter((place) => !strip.contains(place) && !place.disabled && place.checkVisibility());
  const follows = (place) => strip.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING;
  const next = open.find(follows) ?? open.at(-1);
  strip.remove();
  next?.focus();
}

function end(wait) {
  clearInterval(wait.timer);
  waiting.delete(wait);
}

function element(name, kind, text) {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}

addEventListener("pagehide", () => {
  for (const wait of waiting) {
    end(wait);
    navigator.sendBeacon(wait.form.action, new URLSearchParams(new FormData(wait.form)));
  }
});

// A key that is shown once: copying it, and leading the eye to it and past it.
import "./copies.js";

// Loading the page again goes on, instead of sending the form another time.
const next = document.querySelector("[data-goes-on]");
if (next) history.replaceState(null, "", next.dataset.goesOn);

document.addEventListener("htmx:after:swap", () => document.querySelector("#once .once")?.focus());

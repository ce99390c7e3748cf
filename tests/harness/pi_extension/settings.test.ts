/** What the environment says. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { settingsFrom } from "../../../src/whoknows/connect/packages/pi/src/settings.ts";

test("without a key nothing is asked of anybody", () => {
  assert.equal(settingsFrom({}), undefined);
  assert.equal(settingsFrom({ WHOKNOWS_KEY: "  " }), undefined);
});

test("hooks that are switched off ask nobody", () => {
  assert.equal(settingsFrom({ WHOKNOWS_KEY: "k", WHOKNOWS_HOOKS_DISABLED: "1" }), undefined);
});

test("an address that is none is not asked", () => {
  for (const url of ["ftp://x", "localhost:8765", "http://", "javascript:1"]) {
    assert.equal(settingsFrom({ WHOKNOWS_KEY: "k", WHOKNOWS_URL: url }), undefined, url);
  }
});

test("the address is loopback where none is given, and loses its last slash where one is", () => {
  assert.equal(settingsFrom({ WHOKNOWS_KEY: "k" })?.url, "http://127.0.0.1:8765");
  assert.equal(settingsFrom({ WHOKNOWS_KEY: "k", WHOKNOWS_URL: "https://memory.example/" })?.url, "https://memory.example");
});

test("the log is where the other programs' hooks have theirs", () => {
  assert.equal(settingsFrom({ WHOKNOWS_KEY: "k", HOME: "/home/ana" })?.stateDir, "/home/ana/.local/state/whoknows");
  assert.equal(settingsFrom({ WHOKNOWS_KEY: "k", XDG_STATE_HOME: "/state" })?.stateDir, "/state/whoknows");
  const relative = settingsFrom({ WHOKNOWS_KEY: "k", HOME: "/home/ana", XDG_STATE_HOME: "state" });
  assert.equal(relative?.stateDir, "/home/ana/.local/state/whoknows");
});

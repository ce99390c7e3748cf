/** The log: a line, and never anything that holds a session up or adds to a file of somebody else. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";

import { log } from "../../../src/whoknows/connect/packages/pi/src/log.ts";

const LINE = { event: "Stop", code: "refused", milliseconds: 3.2 };

test("a fault is one line", async () => {
  const folder = mkdtempSync(`${tmpdir()}/log-`);
  await log(`${folder}/state`, LINE);
  await log(`${folder}/state`, LINE);
  const lines = readFileSync(`${folder}/state/hook.log`, "utf8").trimEnd().split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? "", /^\S+Z pi Stop refused 3ms$/);
});

test("what a link leads to is left alone", async () => {
  const folder = mkdtempSync(`${tmpdir()}/log-`);
  writeFileSync(`${folder}/foreign`, "precious\n");
  symlinkSync(`${folder}/foreign`, `${folder}/hook.log`);
  await log(folder, LINE);
  assert.equal(readFileSync(`${folder}/foreign`, "utf8"), "precious\n");
});

test("a pipe without a reader holds nobody up", async () => {
  const folder = mkdtempSync(`${tmpdir()}/log-`);
  execFileSync("mkfifo", [`${folder}/hook.log`]);
  await log(folder, LINE);
});

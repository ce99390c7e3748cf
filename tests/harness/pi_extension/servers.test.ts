/** Which servers may be asked: those that stand beside the package, and no other. */

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";

import { whyNot } from "../../../src/whoknows/connect/packages/pi/src/servers.ts";

function noted(content: string): string {
  const path = `${mkdtempSync(`${tmpdir()}/servers-`)}/servers`;
  writeFileSync(path, content);
  return path;
}

test("those that are noted may be asked, however they are written", () => {
  const file = noted("http://127.0.0.1:8765\nhttps://memory.example/team\n");
  for (const url of ["http://127.0.0.1:8765", "http://127.0.0.1:8765/", "https://Memory.example:443/team"]) {
    assert.equal(whyNot(url, file), undefined, url);
  }
});

test("no other may, not by another path and not by a name in it", () => {
  const file = noted("http://127.0.0.1:8765\nhttps://memory.example/team\n");
  const others = [
    "http://127.0.0.1:8766", "https://127.0.0.1:8765", "https://memory.example", "https://memory.example/team/../other",
    "http://x@127.0.0.1:8765", "http://127.0.0.1:8765?x", "http://127.0.0.1:8765.evil.example",
  ];
  for (const url of others) assert.equal(whyNot(url, file), "other_server", url);
});

test("where none is noted, none may be asked", () => {
  for (const content of ["", "\n\n", "ftp://a\n", "rubbish"]) {
    assert.equal(whyNot("http://127.0.0.1:8765", noted(content)), "no_server", content);
  }
  assert.equal(whyNot("http://127.0.0.1:8765", "/nowhere/servers"), "no_server");
  assert.equal(whyNot("http://127.0.0.1:8765"), "no_server", "beside the package as it is shipped stands none");
});

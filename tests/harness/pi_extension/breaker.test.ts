/** When the server is not asked for a while. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Breaker } from "../../../src/whoknows/connect/packages/pi/src/breaker.ts";

function standing(): { clock: { now: number }; breaker: Breaker } {
  const clock = { now: 1_000_000 };
  return { clock, breaker: new Breaker(() => clock.now) };
}

test("three faults within a minute, and nobody is asked for half of one", () => {
  const { clock, breaker } = standing();
  for (let n = 0; n < 3; n++) {
    assert.equal(breaker.lets(), true);
    breaker.failed(false);
  }
  assert.equal(breaker.lets(), false);
  clock.now += 29_999;
  assert.equal(breaker.lets(), false);
  clock.now += 1;
  assert.equal(breaker.lets(), true);
});

test("after the pause one caller finds out, and the others wait for what it finds", () => {
  const { clock, breaker } = standing();
  for (let n = 0; n < 3; n++) breaker.failed(false);
  clock.now += 30_000;
  assert.equal(breaker.lets(), true);
  assert.equal(breaker.lets(), false);
  breaker.worked();
  assert.equal(breaker.lets(), true);
  assert.equal(breaker.lets(), true);
});

test("a probe that fails begins a new pause", () => {
  const { clock, breaker } = standing();
  for (let n = 0; n < 3; n++) breaker.failed(false);
  clock.now += 30_000;
  breaker.lets();
  breaker.failed(false);
  assert.equal(breaker.lets(), false);
});

test("three faults in three minutes are no reason", () => {
  const { clock, breaker } = standing();
  for (let n = 0; n < 3; n++) {
    breaker.failed(false);
    clock.now += 60_000;
  }
  assert.equal(breaker.lets(), true);
});

test("a late answer has cost a second already: what follows at once is not asked", () => {
  const { clock, breaker } = standing();
  breaker.failed(true);
  assert.equal(breaker.lets(), false);
  clock.now += 5_000;
  assert.equal(breaker.lets(), true);
});

test("an answer that comes takes all faults away", () => {
  const { breaker } = standing();
  breaker.failed(false);
  breaker.failed(false);
  breaker.worked();
  breaker.failed(false);
  assert.equal(breaker.lets(), true);
});

test("a clock of the machine that is set back is not looked at", (context) => {
  context.mock.method(Date, "now", () => assert.fail("it was asked"));
  const breaker = new Breaker();
  breaker.failed(true);
  assert.equal(breaker.lets(), false);
});

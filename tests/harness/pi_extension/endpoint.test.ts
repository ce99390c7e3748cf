/** One event to the server and its answer back. */

import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";

import { type HookEvent, send } from "../../../src/whoknows/connect/packages/pi/src/endpoint.ts";
import { answers, breaksOff, drips, neverAnswers, raw, ServerDouble, settingsFor } from "./server_double.ts";

const EVENT: HookEvent = { hook_event_name: "UserPromptSubmit", session_id: "s", cwd: "/项目", turn_id: "t", prompt: "口令是什么？" };
const server = await new ServerDouble().start();
const settings = settingsFor(server, "/nowhere");

beforeEach(() => server.sent.splice(0));
after(() => server.stop());

function said(context: string): unknown {
  return { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: context } };
}

test("the event goes out as it is, with the key, and the machine in UTF-8", async () => {
  server.plays(answers(said("蓝鲸")));
  assert.deepEqual(await send(settings, EVENT, 1_000), { context: "蓝鲸" });
  const [sent] = server.sent;
  assert.equal(sent?.path, "/api/v1/hooks/pi");
  assert.deepEqual(sent?.event, EVENT);
  assert.equal(sent?.headers.authorization, `Bearer ${settings.key}`);
  assert.equal(Buffer.from(String(sent?.headers["x-machine"]), "latin1").toString("utf8"), "工作站");
  assert.equal(sent?.headers["x-agent"], undefined);
});

test("an agent is named where the settings name one", async () => {
  await send({ ...settings, agent: "八戒" }, EVENT, 1_000);
  assert.equal(Buffer.from(String(server.sent[0]?.headers["x-agent"]), "latin1").toString("utf8"), "八戒");
});

test("nothing known is nothing said", async () => {
  for (const body of [{}, said(""), said("  "), { hookSpecificOutput: {} }, { hookSpecificOutput: null }, { continue: true }]) {
    server.plays(answers(body));
    assert.deepEqual(await send(settings, EVENT, 1_000), {});
  }
});

test("a notice is for the person and not for the model", async () => {
  server.plays(answers({ systemMessage: "memory is degraded" }));
  assert.deepEqual(await send(settings, EVENT, 1_000), { notice: "memory is degraded" });
  server.plays(answers({ systemMessage: "a\u001b]0;x\u0007 忆" }));
  assert.deepEqual(await send(settings, EVENT, 1_000), { notice: "a ]0;x  忆" });
});

const faults: [string, Parameters<ServerDouble["plays"]>[0], string][] = [
  ["500", raw("{}", 500), "http_500"],
  ["401", raw("{}", 401), "http_401"],
  ["a redirect, which would take the key elsewhere", raw("", 307, { Location: "http://127.0.0.1:1/" }), "http_307"],
  ["HTML", raw("<html>Bad gateway</html>"), "not_json"],
  ["JSON of another form", raw("[1, 2]"), "wrong_form"],
  ["the answer to another event", answers({ hookSpecificOutput: { hookEventName: "Stop", additionalContext: "x" } }), "wrong_form"],
  ["bytes that are no text", (response) => response.end(Buffer.from([0x22, 0xff, 0xfe, 0x22])), "not_json"],
  ["nothing at all", raw(""), "not_json"],
  ["more than anybody reads", raw(" ".repeat(300_000)), "too_large"],
  ["more context than Pi is meant to take", answers(said("忆".repeat(10_001))), "too_long"],
  ["half an answer", breaksOff, "cut"],
  ["silence", neverAnswers, "timeout"],
  ["a byte now and then", drips, "timeout"],
];
for (const [what, plays, code] of faults) {
  test(`${what}: a fault with a word for the log`, async () => {
    server.plays(plays);
    await assert.rejects(send(settings, EVENT, 300), { code });
  });
}

test("nobody there, and no such name: faults like the others", async () => {
  const gone = await new ServerDouble().start();
  const { url } = gone;
  gone.stop();
  await assert.rejects(send({ ...settings, url }, EVENT, 1_000), { code: "refused" });
  await assert.rejects(send({ ...settings, url: "http://no-such-name.invalid" }, EVENT, 1_000), (e: { code: string }) =>
    ["unresolved", "timeout"].includes(e.code),
  );
});

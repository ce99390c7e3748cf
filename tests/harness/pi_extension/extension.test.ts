/** What the extension does in a session of Pi, which a double plays: events in, messages and registrations out. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

import whoknows from "../../../src/whoknows/connect/packages/pi/src/index.ts";
import { answers, neverAnswers, raw, remembers, ServerDouble } from "./server_double.ts";

type Handler = (event: unknown, ctx: unknown) => unknown;
type Message = { customType: string; content: string; display: boolean };

class PiDouble {
  readonly handlers = new Map<string, Handler>();
  readonly servers: [string, { url: string; headers: Record<string, string>; exposure: string }][] = [];
  readonly sentMessages: [Message, unknown][] = [];
  readonly notices: string[] = [];
  past: { type: string }[] = [];

  constructor(servers = join(state, "servers")) {
    const api = {
      on: (name: string, handler: Handler) => this.handlers.set(name, handler),
      registerMcpServer: (name: string, config: never) => this.servers.push([name, config]),
      sendMessage: (message: Message, options: unknown) => this.sentMessages.push([message, options]),
    };
    whoknows(api as unknown as ExtensionAPI, servers);
  }

  async fires(name: string, event: object = {}): Promise<{ message?: Message } | undefined> {
    const ctx = {
      cwd: "/项目/甲",
      hasUI: true,
      ui: { notify: (text: string) => this.notices.push(text) },
      sessionManager: { getSessionId: () => "session-1", getBranch: () => this.past },
    };
    return (await this.handlers.get(name)?.({ type: name, ...event }, ctx)) as { message?: Message } | undefined;
  }

  begins(reason = "startup"): Promise<unknown> {
    return this.fires("session_start", { reason });
  }

  prompts(prompt: string): Promise<{ message?: Message } | undefined> {
    return this.fires("before_agent_start", { messageType: "user", prompt });
  }

  async settles(text: string, aborted = false): Promise<void> {
    const assistant = { role: "assistant", stopReason: "stop", content: [{ type: "thinking", thinking: "hm" }, { type: "text", text }] };
    await this.fires("agent_end", { messages: [{ role: "user", content: "?" }, assistant, { role: "toolResult", content: [] }] });
    await this.fires("agent_settled", { aborted });
  }

  ends(): Promise<unknown> {
    return this.fires("session_shutdown", { reason: "quit" });
  }
}

const state = mkdtempSync(join(tmpdir(), "whoknows-pi-"));
const kept = { ...process.env };
let server: ServerDouble;

beforeEach(async () => {
  server = await new ServerDouble().start();
  process.env.WHOKNOWS_KEY = `key-${process.pid}`;
  process.env.WHOKNOWS_URL = server.url;
  writeFileSync(join(state, "servers"), `http://127.0.0.1:1\n${server.url}\n`);
  process.env.XDG_STATE_HOME = mkdtempSync(join(state, "run-"));
});
afterEach(() => {
  server.stop();
  process.env = { ...kept };
});
after(() => rmSync(state, { recursive: true }));

function log(): string[] {
  return readFileSync(`${process.env.XDG_STATE_HOME}/whoknows/hook.log`, "utf8").trim().split("\n");
}

test("without a key the extension does nothing at all", () => {
  delete process.env.WHOKNOWS_KEY;
  assert.equal(new PiDouble().handlers.size, 0);
});

test("what is remembered becomes a message beside the prompt, the brief before it, and the person is not shown it", async () => {
  server.plays(remembers("known"));
  const pi = new PiDouble();
  await pi.begins();
  assert.deepEqual((await pi.prompts("hello"))?.message, {
    customType: "whoknows",
    content: "known (SessionStart)\n\nknown (UserPromptSubmit)",
    display: false,
  });
  assert.equal((await pi.prompts("and now?"))?.message?.content, "known (UserPromptSubmit)");
});

test("nothing remembered, no message", async () => {
  const pi = new PiDouble();
  await pi.begins();
  assert.equal(await pi.prompts("hello"), undefined);
});

test("a turn has one id from its prompt to its end, and the next has another", async () => {
  const pi = new PiDouble();
  for (const prompt of ["one", "two"]) {
    await pi.prompts(prompt);
    await pi.settles("done");
  }
  await pi.ends();
  const turns = server.sent.filter((s) => s.event.turn_id !== undefined).map((s) => s.event.turn_id);
  assert.equal(turns.length, 4);
  assert.equal(new Set(turns).size, 2);
});

test("what the assistant said last is offered, without its thoughts, and the end of the session waits for it", async () => {
  const pi = new PiDouble();
  await pi.prompts("from now on we use port 5433");
  await pi.settles("好的，端口是 5433。");
  await pi.ends();
  const stop = server.sent.find((s) => s.event.hook_event_name === "Stop");
  assert.equal(stop?.event.last_assistant_message, "好的，端口是 5433。");
  assert.equal(server.names.at(-1), "SessionEnd");
});

test("a run that was aborted, or that nobody asked for, offers nothing", async () => {
  const pi = new PiDouble();
  await pi.prompts("hello");
  await pi.settles("half", true);
  assert.equal(await pi.fires("before_agent_start", { messageType: "custom", message: {} }), undefined);
  await pi.settles("by itself");
  await pi.ends();
  assert.deepEqual(server.names, ["UserPromptSubmit", "SessionEnd"]);
});

test("a session with a past is resumed, and a reload asks nothing", async () => {
  const pi = new PiDouble();
  pi.past = [{ type: "message" }];
  await pi.begins();
  await pi.begins("reload");
  assert.deepEqual(server.sent.map((s) => s.event.source), ["resume"]);
});

test("after a compaction the brief is put in again, and starts no turn", async () => {
  server.plays(remembers("in short"));
  const pi = new PiDouble();
  await pi.fires("session_compact", { reason: "manual" });
  assert.equal(server.sent[0]?.event.source, "compact");
  assert.deepEqual(pi.sentMessages, [
    [{ customType: "whoknows", content: "in short (SessionStart)", display: false }, { triggerTurn: false }],
  ]);
});

test("the tools are named to Pi once the server has answered, and without the key", async () => {
  const pi = new PiDouble();
  assert.equal(pi.servers.length, 0);
  await pi.begins();
  await pi.prompts("hello");
  assert.equal(pi.servers.length, 1);
  const [registered] = pi.servers;
  assert.ok(registered);
  const [name, config] = registered;
  assert.equal(name, "whoknows");
  assert.equal(config.url, `${server.url}/mcp`);
  assert.equal(config.exposure, "direct");
  assert.ok(!JSON.stringify(config).includes(process.env.WHOKNOWS_KEY ?? "?"));
});

test("a server that never answers costs one deadline for the whole turn, and is in the log once", { timeout: 20_000 }, async () => {
  server.plays(neverAnswers);
  const pi = new PiDouble();
  await pi.begins();
  assert.equal(await pi.prompts("hello"), undefined);
  await pi.settles("done");
  await pi.ends();
  assert.deepEqual(server.names, ["SessionStart"]);
  assert.equal(pi.servers.length, 0);
  assert.equal(log().length, 1);
  assert.match(log()[0] ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ pi SessionStart timeout \d+ms$/);
});

test("a turn whose beginning the server did not hear is not offered", async () => {
  server.plays((response, { event }) => (event.hook_event_name === "UserPromptSubmit" ? raw("", 500) : raw("{}"))(response));
  const pi = new PiDouble();
  await pi.prompts("hello");
  await pi.settles("done");
  await pi.ends();
  assert.deepEqual(server.names, ["UserPromptSubmit", "SessionEnd"]);
});

test("the person is told what the server has to say", async () => {
  server.plays(answers({ systemMessage: "memory is degraded" }));
  const pi = new PiDouble();
  await pi.prompts("hello");
  assert.deepEqual(pi.notices, ["memory is degraded"]);
});

test("nothing is asked of a server that Pi was not connected to, and a line says why", async () => {
  for (const servers of [join(state, "nowhere"), join(state, "others")]) {
    writeFileSync(join(state, "others"), "http://127.0.0.1:8765\n");
    const pi = new PiDouble(servers);
    assert.equal(pi.handlers.size, 0);
    assert.deepEqual(pi.servers, []);
  }
  await waitFor(() => log().length === 2);
  assert.deepEqual(server.sent, []);
  assert.deepEqual(log().map((line) => line.split(" ")[3]).sort(), ["no_server", "other_server"]);
  assert.match(log()[0] ?? "", /whoknows connect pi/);
});

async function waitFor(holds: () => boolean): Promise<void> {
  for (const until = Date.now() + 20_000; Date.now() < until; ) {
    try {
      if (holds()) return;
    } catch {
      // not there yet
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error("it never came");
}

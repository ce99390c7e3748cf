/** WhoKnows for Pi: what is known is put beside a prompt, what is new is offered, and the tools of memory are at hand. */

import { randomUUID } from "node:crypto";

import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";

import { type Answer, wire } from "./endpoint.ts";
import { log } from "./log.ts";
import { Memory } from "./memory.ts";
import { whyNot } from "./servers.ts";
import { type Settings, settingsFrom } from "./settings.ts";

/** The type of our messages in a session, and the name of our MCP server. */
const OURS = "whoknows";
const ADVICE = "nothing was sent: Pi was not connected to WHOKNOWS_URL; `whoknows connect pi` if it is meant";

/** `servers` is where the servers stand that may be asked; Pi gives nothing but itself. */
export default function whoknows(pi: ExtensionAPI, servers?: string): void {
  const settings = settingsFrom(process.env);
  if (settings === undefined) return;
  const unknown = whyNot(settings.url, servers);
  if (unknown !== undefined) {
    void log(settings.stateDir, { event: "-", code: unknown, milliseconds: 0, advice: ADVICE });
    return;
  }
  let hasTools = false;
  // Pi's first prompt waits up to ten seconds for such a server: so only one that has just answered is named to it.
  const offerTools = (): void => {
    if (hasTools) return;
    hasTools = true;
    registerTools(pi, settings);
  };
  const memory = new Memory(settings, offerTools);
  let turn: string | undefined;
  let said: string | undefined;

  pi.on("session_start", async (event, ctx) => {
    if (event.reason === "reload") return; // the session goes on with what it has
    await memory.begin(ctx.sessionManager.getSessionId(), ctx.cwd, hasPast(ctx) ? "resume" : "startup");
  });

  pi.on("before_agent_start", async (event, ctx) => {
    turn = undefined;
    said = undefined;
    if (event.messageType !== "user") return undefined; // nobody asked
    turn = randomUUID();
    const answer = await memory.beside(ctx.sessionManager.getSessionId(), ctx.cwd, turn, event.prompt);
    tell(ctx, answer);
    return answer.context === undefined ? undefined : { message: message(answer.context) };
  });

  pi.on("agent_end", (event) => {
    said = lastWords(event.messages) ?? said;
  });

  pi.on("agent_settled", (event, ctx) => {
    if (turn === undefined || event.aborted) return;
    memory.offer(ctx.sessionManager.getSessionId(), ctx.cwd, turn, said ?? "");
    turn = undefined;
  });

  pi.on("session_compact", async (_event, ctx) => {
    const answer = await memory.again(ctx.sessionManager.getSessionId(), ctx.cwd);
    if (answer.context !== undefined) pi.sendMessage(message(answer.context), { triggerTurn: false });
  });

  pi.on("session_shutdown", async (event, ctx) => {
    if (event.reason === "reload") return;
    await memory.end(ctx.sessionManager.getSessionId(), ctx.cwd);
  });
}

function registerTools(pi: ExtensionAPI, settings: Settings): void {
  try {
    pi.registerMcpServer(OURS, {
      url: `${settings.url}/mcp`,
      // The key is filled in by Pi when it connects, so that no list of servers shows it.
      headers: {
        Authorization: "Bearer ${WHOKNOWS_KEY}",
        "X-Machine": wire(settings.machine),
        ...(settings.agent === undefined ? {} : { "X-Agent": wire(settings.agent) }),
      },
      exposure: "direct",
      description: "Shared memory: what was decided, found out and overturned before",
    });
  } catch {
    // Another extension has the name, or there are no MCP servers in this Pi: prompts still get their memory.
  }
}

function message(content: string): { customType: string; content: string; display: boolean } {
  return { customType: OURS, content, display: false };
}

function tell(ctx: ExtensionContext, answer: Answer): void {
  if (ctx.hasUI && answer.notice !== undefined) ctx.ui.notify(answer.notice, "info");
}

function hasPast(ctx: ExtensionContext): boolean {
  return ctx.sessionManager.getBranch().some((entry) => entry.type === "message");
}

/** The texts of the last message that the assistant ended well; thoughts and calls of tools are not among them. */
function lastWords(messages: readonly { role: string }[]): string | undefined {
  const last = messages.findLast((m): m is Assistant => m.role === "assistant");
  if (last === undefined || last.stopReason === "error" || last.stopReason === "aborted") return undefined;
  return last.content.flatMap((part) => (part.type === "text" && part.text ? [part.text] : [])).join("\n");
}

interface Assistant {
  readonly role: "assistant";
  readonly stopReason?: string;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

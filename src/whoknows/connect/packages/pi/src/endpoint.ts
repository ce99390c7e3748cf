/** One event to the server and its answer back, within a deadline that holds for all of it. */

import * as http from "node:http";
import * as https from "node:https";

import type { Settings } from "./settings.ts";

export type HookEvent = {
  readonly hook_event_name: "SessionStart" | "UserPromptSubmit" | "Stop" | "SessionEnd";
  readonly session_id: string;
  readonly cwd: string;
  readonly turn_id?: string;
  readonly source?: "startup" | "resume" | "clear" | "compact";
  readonly prompt?: string;
  readonly last_assistant_message?: string;
};

export interface Answer {
  /** What the model is to read, if anything. */
  readonly context?: string;
  /** What the person is to read, if anything. */
  readonly notice?: string;
}

/** Why there is no answer, as one word for the log: never a text, never the key. */
export class Fault extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** The words that the hooks of the other programs have in the same log. */
const NAMES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "cut",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  ENOTFOUND: "unresolved",
  EAI_AGAIN: "unresolved",
};
const LONGEST_ANSWER = 262_144;
const LONGEST_CONTEXT = 10_000;

/**
 * Neither `fetch` nor a shared agent: Pi may send those through a proxy, and this is for one known address.
 * A redirect is not followed, since the key is meant for nobody else.
 */
export function send(settings: Settings, event: HookEvent, milliseconds: number): Promise<Answer> {
  const body = Buffer.from(JSON.stringify(event));
  const signal = AbortSignal.timeout(milliseconds);
  return new Promise<Answer>((resolve, reject) => {
    const failed = (error: unknown): void => reject(faultOf(error, signal.aborted));
    try {
      const url = new URL(`${settings.url}/api/v1/hooks/pi`);
      const { request } = url.protocol === "https:" ? https : http;
      const asking = request(url, { method: "POST", headers: headers(settings, body), signal, agent: false }, (response) => {
        response.on("error", failed);
        if (response.statusCode !== 200) {
          response.destroy();
          reject(new Fault(`http_${response.statusCode ?? 0}`));
          return;
        }
        read(response).then((text) => resolve(answerOf(text, event.hook_event_name)), failed).catch(failed);
      });
      asking.on("error", failed);
      asking.end(body);
    } catch (error) {
      failed(error);
    }
  });
}

function headers(settings: Settings, body: Buffer): Record<string, string> {
  return {
    "Content-Type": "application/json",
    "Content-Length": String(body.length),
    Authorization: `Bearer ${settings.key}`,
    "X-Machine": wire(settings.machine),
    ...(settings.agent === undefined ? {} : { "X-Agent": wire(settings.agent) }),
  };
}

/** UTF-8 in a header: Node takes characters below 256 and sends each as one byte. */
export function wire(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}

async function read(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new Fault("too_large");
    chunks.push(chunk);
  }
  if (!response.complete) throw new Fault("cut");
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
}

function answerOf(text: string, event: string): Answer {
  const told: unknown = JSON.parse(text);
  if (!isRecord(told)) throw new Fault("wrong_form");
  const specific = told.hookSpecificOutput ?? {};
  if (!isRecord(specific) || (specific.hookEventName ?? event) !== event) throw new Fault("wrong_form");
  const context = specific.additionalContext;
  const notice = told.systemMessage;
  if (typeof context === "string" && [...context].length > LONGEST_CONTEXT) throw new Fault("too_long");
  return {
    ...(typeof context === "string" && context.trim() ? { context } : {}),
    // It is shown as it is: nothing in it may act on a terminal.
    ...(typeof notice === "string" && notice.trim() ? { notice: notice.replace(/\p{Cc}/gu, " ") } : {}),
  };
}

function faultOf(error: unknown, late: boolean): Fault {
  if (late) return new Fault("timeout");
  if (error instanceof Fault) return error;
  if (error instanceof SyntaxError || error instanceof TypeError) return new Fault("not_json");
  const code = isRecord(error) && typeof error.code === "string" ? error.code : "failed";
  return new Fault(NAMES[code] ?? code.toLowerCase());
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

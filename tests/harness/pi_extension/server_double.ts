/** A double of the hook endpoint: keeps what it is sent, and answers as the test says. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { Settings } from "../../../src/whoknows/connect/packages/pi/src/settings.ts";

export interface Sent {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly event: Record<string, unknown>;
}

type Plays = (response: ServerResponse, sent: Sent) => void;

export class ServerDouble {
  readonly sent: Sent[] = [];
  #plays: Plays = answers({});
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const event = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Record<string, unknown>;
      const sent = { path: request.url ?? "", headers: request.headers, event };
      this.sent.push(sent);
      this.#plays(response, sent);
    });
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  /** Nobody listens any more. */
  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  plays(plays: Plays): void {
    this.#plays = plays;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get names(): string[] {
    return this.sent.map((s) => String(s.event.hook_event_name));
  }
}

export function settingsFor(server: ServerDouble, stateDir: string): Settings {
  return { url: server.url, key: `key-${process.pid}`, agent: undefined, machine: "工作站", stateDir };
}

export function answers(body: unknown): Plays {
  return (response) => raw(JSON.stringify(body))(response);
}

/** Context for the events that take it, with the name of the event in it. */
export function remembers(text: string): Plays {
  return (response, { event }) => {
    const name = String(event.hook_event_name);
    const takes = name === "UserPromptSubmit" || name === "SessionStart";
    answers(takes ? { hookSpecificOutput: { hookEventName: name, additionalContext: `${text} (${name})` } } : {})(response, {
      path: "",
      headers: {},
      event,
    });
  };
}

export function raw(body: string, status = 200, headers: Record<string, string> = {}): (response: ServerResponse) => void {
  return (response) => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers });
    response.end(body);
  };
}

export function neverAnswers(): void {}

/** A byte now and then: each one keeps the connection alive, and the whole never comes. */
export function drips(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json" });
  const timer = setInterval(() => response.write(" "), 50);
  response.on("close", () => clearInterval(timer));
}

export function breaksOff(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": "500" });
  response.write('{"hookSpecificOutput": {');
  setImmediate(() => response.destroy());
}

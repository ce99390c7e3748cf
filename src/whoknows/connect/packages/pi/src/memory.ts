/** What a session does with memory: asked before each prompt, told after each turn, and silent when it is away. */

import { performance } from "node:perf_hooks";

import { Breaker } from "./breaker.ts";
import { type Answer, Fault, type HookEvent, send } from "./endpoint.ts";
import { log } from "./log.ts";
import type { Settings } from "./settings.ts";

/** Milliseconds of a prompt, or of the end of a session, that memory may take, whatever happens. */
const DEADLINE = 1_000;

type Source = NonNullable<HookEvent["source"]>;

export class Memory {
  readonly #settings: Settings;
  readonly #breaker: Breaker;
  readonly #answered: () => void;
  #brief: Answer = {};
  #heard: string | undefined;
  #offered: Promise<unknown> = Promise.resolve();
  #logged: Promise<unknown> = Promise.resolve();

  /** `answered` is called whenever the server has answered well. */
  constructor(settings: Settings, answered: () => void = () => {}, breaker: Breaker = new Breaker()) {
    this.#settings = settings;
    this.#answered = answered;
    this.#breaker = breaker;
  }

  /** Fetches the brief of a session, which goes out with its next prompt. */
  async begin(session: string, cwd: string, source: Source): Promise<void> {
    this.#brief = (await this.#ask({ hook_event_name: "SessionStart", session_id: session, cwd, source })) ?? {};
  }

  /** The brief of a session whose past was just made shorter. */
  async again(session: string, cwd: string): Promise<Answer> {
    return (await this.#ask({ hook_event_name: "SessionStart", session_id: session, cwd, source: "compact" })) ?? {};
  }

  /** What belongs beside a prompt: the brief, if there is one, and what the prompt calls to mind. */
  async beside(session: string, cwd: string, turn: string, prompt: string): Promise<Answer> {
    const brief = this.#brief;
    this.#brief = {};
    const recalled = await this.#ask({ hook_event_name: "UserPromptSubmit", session_id: session, cwd, turn_id: turn, prompt });
    this.#heard = recalled && turn;
    return joined([brief, recalled ?? {}]);
  }

  /** Offers what the turn ended with, if the server heard its beginning. Nothing waits for it here. */
  offer(session: string, cwd: string, turn: string, said: string): void {
    if (this.#heard !== turn) return;
    const event: HookEvent = { hook_event_name: "Stop", session_id: session, cwd, turn_id: turn, last_assistant_message: said };
    this.#offered = Promise.all([this.#offered, this.#ask(event)]);
  }

  /** The end of a session: what was offered last may still arrive. */
  async end(session: string, cwd: string): Promise<void> {
    await Promise.all([this.#offered, this.#ask({ hook_event_name: "SessionEnd", session_id: session, cwd })]);
    await this.#logged;
  }

  /** Each request ends within the deadline; `undefined`: it was not made, or it failed. */
  async #ask(event: HookEvent): Promise<Answer | undefined> {
    if (!this.#breaker.lets()) return undefined;
    const begun = performance.now();
    try {
      const answer = await send(this.#settings, event, DEADLINE);
      this.#breaker.worked();
      this.#answered();
      return answer;
    } catch (error) {
      const code = error instanceof Fault ? error.code : "failed";
      this.#breaker.failed(code === "timeout");
      const line = { event: event.hook_event_name, code, milliseconds: performance.now() - begun };
      this.#logged = Promise.all([this.#logged, log(this.#settings.stateDir, line)]);
      return undefined;
    }
  }
}

function joined(answers: readonly Answer[]): Answer {
  const context = answers.flatMap((a) => a.context ?? []).join("\n\n");
  const notice = answers.flatMap((a) => a.notice ?? [])[0];
  return { ...(context ? { context } : {}), ...(notice === undefined ? {} : { notice }) };
}

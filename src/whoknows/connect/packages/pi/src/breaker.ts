/** When the server is not asked for a while, and who then finds out whether it is back. */

import { performance } from "node:perf_hooks";

/** So many faults within so many milliseconds, and nobody is asked for a while. */
const FAULTS = 3;
const WITHIN = 60_000;
const PAUSE = 30_000;
/** One late answer has cost a second already: what follows at once, in the same turn, is not asked. */
const BREATH = 5_000;

export class Breaker {
  readonly #now: () => number;
  #faults: number[] = [];
  #closedAt = 0;
  #probing = false;

  /** By default a clock that nobody can set back: a pause would last for hours then. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether the server may be asked now. After a pause one caller is let through, and the others wait for what it finds. */
  lets(): boolean {
    if (this.#closedAt === 0) return true;
    if (this.#probing || this.#now() < this.#closedAt) return false;
    this.#probing = true;
    return true;
  }

  worked(): void {
    this.#faults = [];
    this.#closedAt = 0;
    this.#probing = false;
  }

  failed(late: boolean): void {
    const now = this.#now();
    this.#faults = [...this.#faults.filter((at) => now - at < WITHIN), now];
    if (this.#faults.length >= FAULTS) this.#closedAt = now + PAUSE;
    else if (late) this.#closedAt = now + BREATH;
    this.#probing = false;
  }
}

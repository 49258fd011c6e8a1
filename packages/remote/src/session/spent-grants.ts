// Grants of rates whose permits are used up. The server keeps a record of each grant, so that a repeated call takes
// nothing more. When the session knows of the grant, the server can remove the record. One call names many grants.

import type { Timer, Timing } from '../engine/timing.ts';

/** When there are this many grants of one limiter, they are sent at once. */
const MOST = 64;

export class SpentGrants {
  readonly #timing: Timing;
  readonly #delayMs: number;
  readonly #tell: (key: string, seqs: readonly number[]) => Promise<unknown>;
  readonly #onTold: (seq: number) => void;
  readonly #seqs = new Map<string, number[]>();
  #timer: Timer | undefined;
  #stopped = false;

  /** `delayMs` is the longest time that a grant waits for others. */
  constructor(
    timing: Timing,
    delayMs: number,
    tell: (key: string, seqs: readonly number[]) => Promise<unknown>,
    onTold: (seq: number) => void,
  ) {
    this.#timing = timing;
    this.#delayMs = delayMs;
    this.#tell = tell;
    this.#onTold = onTold;
  }

  add(key: string, ...seqs: number[]): void {
    if (this.#stopped) return;
    const all = this.#seqs.get(key) ?? [];
    all.push(...seqs);
    this.#seqs.set(key, all);
    if (all.length >= MOST) this.#flush(key, all);
    else this.#timer ??= this.#timing.after(this.#delayMs, () => this.#flushAll(), false);
  }

  /** Called when the session ended: the server has removed the records. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.stop();
  }

  #flushAll(): void {
    this.#timer = undefined;
    for (const [key, seqs] of [...this.#seqs]) this.#flush(key, seqs);
  }

  #flush(key: string, seqs: readonly number[]): void {
    this.#seqs.delete(key);
    this.#tell(key, seqs).then(
      () => seqs.forEach(this.#onTold),
      // The server refused the call. The records stay until the next attempt, or until the session ends.
      () => this.#timing.after(this.#delayMs, () => this.add(key, ...seqs), false),
    );
  }
}

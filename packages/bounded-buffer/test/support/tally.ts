// Histories of a buffer, their checks, and sums over all of them.

import {
  checkHistory,
  describe,
  logBytes,
  operationsOf,
  type Operation,
  type QueueSpec,
  type Taping,
} from '@sluice/linear';
import type { Session } from '@sluice/harness';
import { CALLS } from '../jobs/linearizable.mjs';

/** One log for each of the agents, and the clock that they share. */
export class Tapes {
  readonly #clock = new SharedArrayBuffer(4);
  readonly all: readonly Taping[];

  constructor(agents: number) {
    this.all = Array.from({ length: agents }, () => ({
      clock: this.#clock,
      log: new SharedArrayBuffer(logBytes(CALLS)),
    }));
  }

  /** The number of recorded calls. */
  get now(): number {
    return Atomics.load(new Int32Array(this.#clock), 0);
  }

  read(): Operation[] {
    return this.all.flatMap(({ log }, index) => operationsOf(log, `agent ${index}`));
  }

  clear(): void {
    for (const { clock, log } of this.all) for (const memory of [clock, log]) new Uint8Array(memory).fill(0);
  }
}

/** Returns the calls of a history, one per line, in the order of their beginnings. */
function textOf(history: readonly Operation[]): string {
  const inOrder = history.toSorted((a, b) => a.began - b.began);
  return inOrder.map(describe).join('\n');
}

export class Tally {
  readonly #session: Session;
  #histories = 0;
  #operations = 0;
  #longest = 0;
  #configurations = 0;
  #checked = 0;
  #excused = 0;
  #pending = 0;
  #inLine = 0;
  #millis = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Throws if the history is not linearizable, or not known to be. */
  check(what: string, history: readonly Operation[], spec: QueueSpec): void {
    const began = performance.now();
    const { linearizable, reason, configurations, refusals } = checkHistory(history, spec);
    if (linearizable !== true)
      throw new Error(`${what}, seed ${this.#session.seed}: ${reason ?? ''}\n${textOf(history)}`);
    this.#histories += 1;
    this.#operations += history.length;
    this.#longest = Math.max(this.#longest, history.length);
    this.#configurations += configurations;
    this.#checked += refusals.checked;
    this.#excused += refusals.excused;
    this.#inLine += history.filter(({ place }) => place !== undefined).length;
    this.#pending += history.filter(({ outcome }) => outcome === 'pending').length;
    this.#millis += performance.now() - began;
  }

  done(more = ''): void {
    const details = [
      `${this.#histories} histories, the longest of ${this.#longest}`,
      `${this.#configurations} configurations in ${(this.#millis / 1000).toFixed(2)} s`,
      `${this.#checked} failed calls checked, ${this.#excused} excused by other calls of their side`,
      `${this.#inLine} were queued`,
      `${this.#pending} pending`,
    ];
    this.#session.done(this.#operations, [...details, more].filter((text) => text !== '').join('; '));
  }
}

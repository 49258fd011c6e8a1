// Tasks of a living agent at one capacitor, and their outcomes. Each stays inside until it is told to depart.

import { BLOCK_LINE, GRANT, TICKET } from '../../../core/src/kernel/layout.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import { leftBehind } from '../../../core/test/support/in-order.ts';
import type { Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { LANE_BITS, TALLY } from '../../src/kernel/layout.ts';
import { expectSame } from '../../../core/test/support/expect-same.ts';

/** A capacitor, with lanes or without. */
export interface GateLike {
  readonly handle: { readonly kind: string; readonly address: number };
  readonly bypassLimit: number;
  readonly empty: boolean;
  arrive(): void;
  tryArrive(timeoutMs?: number): boolean;
  arriveAsync(options: { signal: AbortSignal; ref: boolean }): Promise<void>;
  depart(): void;
}

type Outcome = 'waits' | 'in' | 'left';

export class GateShadows implements Witness {
  readonly gate: GateLike;
  readonly #words: Words;
  readonly #semaphore: number | undefined;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];
  #inside = 0;
  #mostInside = 0;

  /** `semaphore`: the address of the semaphore, if the capacitor is over one. */
  constructor(words: Words, gate: GateLike, semaphore?: number) {
    this.#words = words;
    this.#semaphore = semaphore;
    this.gate = gate;
  }

  /** Starts that many arrivals, which wait if they must. */
  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.gate.arriveAsync({ signal, ref: false }).then(
        () => {
          shadow.outcome = 'in';
          this.#enter();
        },
        () => (shadow.outcome = 'left'),
      );
    }
  }

  #enter(): void {
    this.#inside += 1;
    this.#mostInside = Math.max(this.#mostInside, this.#inside);
  }

  /** Starts that many arrivals, which go in at once. */
  take(times = 1): void {
    for (let count = 0; count < times; count++) {
      this.gate.arrive();
      this.#enter();
    }
  }

  /** Lets that many tasks inside depart. */
  go(times = 1): void {
    for (let count = Math.min(times, this.#inside); count > 0; count--) {
      this.#inside -= 1;
      this.gate.depart();
    }
  }

  /** Aborts the task with that number. */
  leave(index: number): void {
    const shadow = this.#shadows[index];
    if (shadow === undefined) throw new Error('no such shadow');
    // A grant may be decided that the task reports only later.
    shadow.outcome = 'left';
    shadow.leave();
  }

  expected(): readonly Outcome[] {
    return this.#shadows.map(({ outcome }) => (outcome === 'waits' ? 'in' : outcome));
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    this.#expectBalance();
    await this.#clear(settle);
    expectSame([...this.#shadows.map(({ outcome }) => outcome), ...this.#tooMany(0)], expected);
    await this.#expectWholePlatoons(settle);
  }

  /** TALLY is the free permits plus the agents inside: that many departures are still to come. */
  #expectBalance(): void {
    const waiting = this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
    const lines = this.#lines();
    const balance = lines.reduce(
      (sum, line) => sum + Number(this.#words.load64(line + GRANT) - this.#words.load64(line + TICKET)),
      0,
    );
    const tombstones = lines.reduce((sum, line) => sum + leftBehind(this.#words, line), 0);
    expectSame(this.#tally, balance + waiting + tombstones + this.#inside);
  }

  /** The addresses of the lines with semaphores. */
  #lines(): number[] {
    const { address, kind } = this.gate.handle;
    if (this.#semaphore !== undefined) return [this.#semaphore];
    if (kind === 'sluice.capacitor') return [address];
    const lanes = 1 << this.#words.get32(address + LANE_BITS);
    return Array.from({ length: lanes }, (_, lane) => address + (1 + lane) * BLOCK_LINE);
  }

  get #tally(): number {
    return this.#words.load32(this.gate.handle.address + TALLY);
  }

  /** Lets the rest of a platoon go in and out, then a whole platoon. */
  async #expectWholePlatoons(settle: () => Promise<void>): Promise<void> {
    for (const size of [this.#tally, this.gate.bypassLimit]) {
      expectSame(this.gate.empty, true);
      expectSame(this.#tally, size);
      for (let count = 0; count < size; count++) expectSame(this.gate.tryArrive(), true);
      expectSame([this.gate.tryArrive(), this.gate.empty], [false, false]);
      for (let count = 0; count < size; count++) this.gate.depart();
      await settle();
    }
    expectSame([this.#tally, this.gate.empty], [this.gate.bypassLimit, true]);
  }

  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') this.#leaveAll();
    await this.#clear(settle);
    this.come(this.gate.bypassLimit + 1);
    await settle();
    this.#leaveAll();
    await this.#clear(settle);
    // An agent that dies in the middle of its departure departs twice (kernel/capacitor.ts).
    return this.#tooMany(1);
  }

  /** Returns a fault if more tasks were inside together than a platoon admits. */
  #tooMany(allowed: number): string[] {
    const most = this.gate.bypassLimit + allowed;
    return this.#mostInside > most ? [`${this.#mostInside} were inside, but at most ${most} may be`] : [];
  }

  #leaveAll(): void {
    for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
  }

  /** Lets all tasks inside depart, and all that are admitted thereby. */
  async #clear(settle: () => Promise<void>): Promise<void> {
    await settle();
    while (this.#inside > 0) {
      this.go();
      await settle();
    }
  }
}

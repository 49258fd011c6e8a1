// Tasks of a living agent that wait for one event, and their outcomes.

import { expect } from 'vitest';
import type { Arena } from '../../../core/src/index.ts';
import { records } from '../../../core/src/memory/records.ts';
import { DRAWN, GATE, HEADER_ELEMENT_POOL, LEAVING, OFFICE, LINE } from '../../../core/src/kernel/layout.ts';
import { GRANTED, LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import { officeAt } from '../../../core/test/support/at-rest.ts';
import type { Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';

interface EventLike {
  readonly handle: { readonly address: number };
  signal(): void;
  reset(): boolean;
  waitAsync(options: { signal: AbortSignal; ref: boolean }): Promise<void>;
}

type Outcome = 'waits' | 'went' | 'left';

export class EventShadows implements Witness {
  readonly event: EventLike;
  /** The number of signals of all agents. */
  signals = 0;
  readonly #arena: Arena;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(arena: Arena, event: EventLike) {
    this.#arena = arena;
    this.event = event;
  }

  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.event.waitAsync({ signal, ref: false }).then(
        () => (shadow.outcome = 'went'),
        () => (shadow.outcome = 'left'),
      );
    }
  }

  signal(): void {
    this.signals += 1;
    this.event.signal();
  }

  leave(index: number): void {
    const shadow = this.#shadows[index];
    if (shadow === undefined) throw new Error('no such shadow');
    // A signal may be granted that the task reports only later.
    shadow.outcome = 'left';
    shadow.leave();
  }

  /** The number of tasks whose waits returned. */
  get went(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'went').length;
  }

  get waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /**
   * Returns how many waits will have returned, and whether a signal is kept. Signals granted to the victim go to the
   * waiters behind it.
   */
  expected(words: Words, victim: number): readonly string[] {
    const { address } = this.event.handle;
    const status = words.load32(address + OFFICE);
    const waits = waitsAt(words, address);
    const promised = waits.slice(0, waits.length - Math.max(0, -status));
    const lost = promised.filter(({ owner }) => owner === victim).length;
    const others = waits.slice(promised.length).filter(({ owner }) => owner !== victim).length;
    const went = this.went + promised.length - lost + Math.min(lost, others);
    return [`${went} returned`, status === 1 || lost > others ? 'signalled' : 'quiet'];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    expect([`${this.went} returned`, this.event.reset() ? 'signalled' : 'quiet']).toEqual(expected);
    for (let { waiting } = this; waiting > 0; waiting -= 1) {
      this.event.signal();
      await settle();
      expect(this.waiting).toBe(waiting - 1);
    }
    expect(officeAt(this.#arena, this.event.handle.address)).toEqual({ office: 0n, bouncers: [0n] });
  }

  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    const seen = this.went + Number(this.event.reset());
    return seen > this.signals ? [`${seen} of ${this.signals} signals`] : [];
  }
}

/** Waiters that have not cancelled, in queue order. */
function waitsAt(words: Words, event: number): { readonly owner: number; readonly ticket: bigint }[] {
  return [...records(words, HEADER_ELEMENT_POOL)]
    .filter(
      ({ record, owner }) => owner !== 0 && words.get32(record + LINE) === event && words.get32(record + LEAVING) === 0,
    )
    .filter(({ record }) => [QUEUED, LINKED, PARKED, GRANTED].includes(words.load32(record + GATE)))
    .map(({ record, owner }) => ({ owner, ticket: words.get64(record + DRAWN) }))
    .sort((a, b) => Number(a.ticket - b.ticket));
}

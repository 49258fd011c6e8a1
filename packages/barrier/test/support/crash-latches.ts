// A latch for crash injection: tasks of a living agent that wait at it, and the victim's instance.

import { expect } from 'vitest';
import type { Words } from '../../../core/src/kernel/words.ts';
import {
  DRAWN,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_STRIDE,
  ENTRY_TAG,
  GATE,
  GRANT,
  HEADER_ELEMENT_POOL,
  HEADER_LEDGER_POOL,
  LEDGER_STRIDE,
  LINE,
} from '../../../core/src/kernel/layout.ts';
import { LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import { records } from '../../../core/src/memory/records.ts';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { CountdownLatch } from '../../src/index.ts';
import { CLAIM_ROUND } from '../../src/kernel/layout.ts';

type Outcome = 'waits' | 'went' | 'left';

export class LatchShadows implements Witness {
  readonly latch: CountdownLatch;
  /** The number of parts that the victim never counts down: the living agent must. */
  owed: number;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(latch: CountdownLatch, owed: number) {
    this.latch = latch;
    this.owed = owed;
  }

  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.latch.waitAsync({ signal, ref: false }).then(
        () => (shadow.outcome = 'went'),
        () => (shadow.outcome = 'left'),
      );
    }
  }

  /** Counts down a part of the living agent. */
  done(): void {
    this.owed -= 1;
    this.latch.done();
  }

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  get went(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'went').length;
  }

  get waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /** Returns the expected state. The recovery counts down the victim's claims. At 0 all waiters are admitted. */
  expected(words: Words, victim: number): readonly string[] {
    const { address, tag } = this.latch.handle;
    const word = words.load64(address + GRANT);
    const count = Number(BigInt.asUintN(32, -word));
    const round = Number(BigInt.asIntN(32, word >> 32n));
    let claims = 0;
    for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) {
      for (let entry = record + ENTRY_STRIDE; entry < record + LEDGER_STRIDE; entry += ENTRY_STRIDE) {
        const isHere =
          owner === victim && words.get32(entry + ENTRY_LINE) === address && words.get32(entry + ENTRY_TAG) === tag;
        if (isHere && words.get32(entry + CLAIM_ROUND) === round) claims += Number(words.get64(entry + ENTRY_HELD));
      }
    }
    const left = Math.max(0, count - claims);
    return [`count ${left}`, left === 0 ? '0 wait' : `${waitersIn(words, address, victim)} wait`];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    const { count } = this.latch;
    expect([`count ${count}`, `${this.waiting} wait`]).toEqual(expected);
    if (count > 0) this.latch.done(count);
    await settle();
    expect([this.latch.count, this.waiting, this.latch.waiting]).toEqual([0, 0, 0]);
  }

  /**
   * Checks that the count is never less than the living agent's parts, and that no waiter is admitted before they are
   * counted down.
   */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    const { count } = this.latch;
    return [
      ...(count < this.owed ? [`count ${count}, but ${this.owed} parts are not done`] : []),
      ...(this.owed > 0 && this.went > 0 ? [`${this.went} were admitted, but ${this.owed} parts are not done`] : []),
    ];
  }
}

/** Returns the living waiters whose round has not ended. */
function waitersIn(words: Words, latch: number, victim: number): number {
  return [...records(words, HEADER_ELEMENT_POOL)].filter(({ record, owner }) => {
    const isHere =
      owner !== 0 &&
      owner !== victim &&
      words.get32(record + LINE) === latch &&
      [QUEUED, LINKED, PARKED].includes(words.load32(record + GATE));
    return isHere && BigInt.asIntN(64, words.load64(latch + GRANT) - words.get64(record + DRAWN)) < 1n;
  }).length;
}

export interface LatchScene {
  readonly stage: Stage;
  readonly shadows: LatchShadows;
  readonly ours: CountdownLatch;
  /** The victim's own instance. */
  readonly theirs: CountdownLatch;
}

/** `parts`: the number of the victim's parts. `owed`: the number of the living agent's. */
export function latchScene(stage: Stage, parts: number, owed = 0): LatchScene {
  const ours = CountdownLatch.create(parts + owed, { arena: stage.living.arena, name: 'latch' });
  const shadows = new LatchShadows(ours, owed);
  stage.witnesses.push(shadows);
  return { stage, shadows, ours, theirs: CountdownLatch.from(stage.world.handle(ours.handle, stage.victim)) };
}

export function atLatch(
  name: string,
  [parts, owed]: readonly [parts: number, owed: number],
  prepare: (scene: LatchScene) => (() => unknown) | Promise<() => unknown>,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(latchScene(stage, parts, owed)) };
}

// A barrier for crash injection: waits of a living agent, and the victim's instance.

import { expect } from 'vitest';
import { records } from '../../../core/src/memory/records.ts';
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
import type { Words } from '../../../core/src/kernel/words.ts';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { Barrier, type BarrierOptions } from '../../src/index.ts';
import { ACTING, ACTING_IN, BROKEN, PARTIES, PARTIES_AT, ROLE } from '../../src/kernel/layout.ts';
import { BYSTANDER } from '../../src/kernel/outcomes.ts';

type Outcome = 'waits' | 'tripped' | 'broke' | 'left';

export class BarrierShadows implements Witness {
  readonly barrier: Barrier;
  /** The number of the living agent's parties: the barrier must not trip without them. */
  readonly living: number;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(barrier: Barrier, living: number) {
    this.barrier = barrier;
    this.living = living;
  }

  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.barrier.waitAsync({ signal, ref: false }).then(
        () => (shadow.outcome = 'tripped'),
        (failure: unknown) =>
          (shadow.outcome = (failure as { code?: string }).code === 'SLUICE_BROKEN_BARRIER' ? 'broke' : 'left'),
      );
    }
  }

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  #count(outcome: Outcome): number {
    return this.#shadows.filter((shadow) => shadow.outcome === outcome).length;
  }

  /**
   * Returns the expected state. The recovery breaks the generation of a dead waiter, of a dead party and of the agent
   * that ran the action.
   */
  expected(words: Words, victim: number): readonly string[] {
    const { address, tag } = this.barrier.handle;
    const word = words.load64(address + GRANT);
    const low = words.load32(address + GRANT);
    const mark = Number(BigInt.asIntN(32, ((word >> 32n) << 1n) | 1n));
    let gone = 0;
    let breaks = waitersIn(words, address, (owner) => owner === victim).some(
      (element) => words.get32(element + ROLE) !== BYSTANDER,
    );
    for (const { record, owner } of records(words, HEADER_LEDGER_POOL)) {
      for (let entry = record + ENTRY_STRIDE; entry < record + LEDGER_STRIDE; entry += ENTRY_STRIDE) {
        if (owner !== victim || words.get32(entry + ENTRY_LINE) !== address || words.get32(entry + ENTRY_TAG) !== tag)
          continue;
        const acting = words.get32(entry + ACTING_IN);
        gone += Number(words.get64(entry + ENTRY_HELD)) - (acting === 0 ? 0 : 1);
        breaks ||= (low & ACTING) !== 0 && acting === mark;
      }
    }
    breaks ||= gone > 0;
    const isBroken = (low & BROKEN) !== 0 || breaks;
    const waits = isBroken ? 0 : waitersIn(words, address, (owner) => owner !== 0 && owner !== victim).length;
    return [`${((low & PARTIES) >>> PARTIES_AT) - gone} parties`, isBroken ? 'broken' : 'whole', `${waits} wait`];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    const { parties, broken } = this.barrier;
    expect([`${parties} parties`, broken ? 'broken' : 'whole', `${this.#count('waits')} wait`]).toEqual(expected);
    if (broken) this.barrier.reset();
    const tripped = this.#count('tripped');
    this.come(parties - this.#count('waits'));
    await settle();
    expect([this.#count('waits'), this.#count('tripped'), this.barrier.waiting, this.barrier.broken]).toEqual([
      0,
      tripped + parties,
      0,
      false,
    ]);
  }

  /**
   * Checks that no party of the living agent was lost, and that no generation tripped without parties that had not
   * arrived.
   */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    const tripped = this.#count('tripped');
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    const { parties } = this.barrier;
    return [
      ...(parties < this.living ? [`${parties} parties, but ${this.living} are the living agent's`] : []),
      ...(tripped > 0 && this.#shadows.length < this.living
        ? [`${tripped} were admitted, but only ${this.#shadows.length} of ${this.living} had arrived`]
        : []),
    ];
  }
}

/** Returns the waiters of those owners whose generation has not ended. */
function waitersIn(words: Words, barrier: number, isOwner: (owner: number) => boolean): number[] {
  return [...records(words, HEADER_ELEMENT_POOL)].flatMap(({ record, owner }) => {
    const isHere =
      isOwner(owner) &&
      words.get32(record + LINE) === barrier &&
      [QUEUED, LINKED, PARKED].includes(words.load32(record + GATE));
    return isHere && BigInt.asIntN(64, words.load64(barrier + GRANT) - words.get64(record + DRAWN)) < 1n
      ? [record]
      : [];
  });
}

export interface BarrierScene {
  readonly stage: Stage;
  readonly shadows: BarrierShadows;
  readonly ours: Barrier;
  /** The victim's own instance. */
  readonly theirs: Barrier;
}

/** `parties`: the number of the victim's parties. `living`: the number of the living agent's. */
export function barrierScene(
  stage: Stage,
  parties: number,
  living: number,
  { action }: Pick<BarrierOptions, 'action'> = {},
): BarrierScene {
  const ours = Barrier.create(parties + living, { arena: stage.living.arena, name: 'barrier', action });
  const shadows = new BarrierShadows(ours, living);
  stage.witnesses.push(shadows);
  return { stage, shadows, ours, theirs: Barrier.from(stage.world.handle(ours.handle, stage.victim), { action }) };
}

export function atBarrier(
  name: string,
  [parties, living, action]: readonly [parties: number, living: number, action?: () => void],
  prepare: (scene: BarrierScene) => (() => unknown) | Promise<() => unknown>,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(barrierScene(stage, parties, living, { action })) };
}

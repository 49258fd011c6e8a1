// An event count for crash injection: waits of a living agent, and the victim's instance.

import { expect } from 'vitest';
import { DRAWN, GATE, GRANT, HEADER_ELEMENT_POOL, LINE } from '../../../../core/src/kernel/layout.ts';
import { LINKED, PARKED, QUEUED } from '../../../../core/src/kernel/states.ts';
import type { Words } from '../../../../core/src/kernel/words.ts';
import { records } from '../../../../core/src/memory/records.ts';
import type { Operation, Stage, Witness } from '../../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../../core/test/support/signal-by-hand.ts';
import { EventCount } from '../../../src/index.ts';

type Outcome = 'waits' | 'went' | 'left';

/** Higher than every value of a scene. */
const LAST = 64;

export class EventCountShadows implements Witness {
  readonly event: EventCount;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(event: EventCount) {
    this.event = event;
  }

  /** Begins a wait for each value. */
  come(...values: readonly number[]): void {
    for (const value of values) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.event.awaitAsync(value, { signal, ref: false }).then(
        () => (shadow.outcome = 'went'),
        () => (shadow.outcome = 'left'),
      );
    }
  }

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  get #waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /** Returns the expected state. The recovery finishes an advance that was begun, and changes nothing else. */
  expected(words: Words, victim: number): readonly string[] {
    const { address } = this.event.handle;
    const waits = [...records(words, HEADER_ELEMENT_POOL)].filter(({ record, owner }) => {
      const isHere =
        owner !== 0 &&
        owner !== victim &&
        words.get32(record + LINE) === address &&
        [QUEUED, LINKED, PARKED].includes(words.load32(record + GATE));
      return isHere && words.load64(address + GRANT) - words.get64(record + DRAWN) < 1n;
    });
    return [`count ${words.load64(address + GRANT)}`, `${waits.length} wait`];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    expect([`count ${this.event.read()}`, `${this.#waiting} wait`]).toEqual(expected);
    this.event.advance(LAST);
    await settle();
    expect([this.#waiting, this.event.waiting]).toEqual([0, 0]);
  }

  /** Returns no faults: nothing of an event count can exist twice. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    return [];
  }
}

export interface EventCountScene {
  readonly stage: Stage;
  readonly shadows: EventCountShadows;
  readonly ours: EventCount;
  /** The victim's own instance. */
  readonly theirs: EventCount;
}

export function eventCountScene(stage: Stage): EventCountScene {
  const ours = EventCount.create({ arena: stage.living.arena, name: 'written' });
  const shadows = new EventCountShadows(ours);
  stage.witnesses.push(shadows);
  return { stage, shadows, ours, theirs: EventCount.from(stage.world.handle(ours.handle, stage.victim)) };
}

export function atEventCount(
  name: string,
  prepare: (scene: EventCountScene) => () => unknown,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(eventCountScene(stage)) };
}

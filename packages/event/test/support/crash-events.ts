// A manual-reset event for crash injection: waits of a living agent, and the victim's instance.

import { expect } from 'vitest';
import { records } from '../../../core/src/memory/records.ts';
import { DRAWN, GATE, GRANT, HEADER_ELEMENT_POOL, LINE } from '../../../core/src/kernel/layout.ts';
import { LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { ManualResetEvent } from '../../src/index.ts';

type Outcome = 'waits' | 'went' | 'left';

export class EventShadows implements Witness {
  readonly event: ManualResetEvent;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(event: ManualResetEvent) {
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

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  get #waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /** Returns the expected state. The recovery finishes a set that was begun, and changes nothing else. */
  expected(words: Words, victim: number): readonly string[] {
    const { address } = this.event.handle;
    const waits = [...records(words, HEADER_ELEMENT_POOL)].filter(({ record, owner }) => {
      const isHere =
        owner !== 0 &&
        owner !== victim &&
        words.get32(record + LINE) === address &&
        [QUEUED, LINKED, PARKED].includes(words.load32(record + GATE));
      return isHere && BigInt.asIntN(64, words.load64(address + GRANT) - words.get64(record + DRAWN)) < 1n;
    });
    return [(words.load32(address + GRANT) & 1) === 0 ? 'not set' : 'set', `${waits.length} wait`];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    expect([this.event.isSet ? 'set' : 'not set', `${this.#waiting} wait`]).toEqual(expected);
    this.event.set();
    await settle();
    expect([this.#waiting, this.event.waiting]).toEqual([0, 0]);
  }

  /** Returns no faults: nothing of an event can exist twice. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    return [];
  }
}

export interface EventScene {
  readonly stage: Stage;
  readonly shadows: EventShadows;
  readonly ours: ManualResetEvent;
  /** The victim's own instance. */
  readonly theirs: ManualResetEvent;
}

export function eventScene(stage: Stage, isSet = false): EventScene {
  const ours = ManualResetEvent.create({ arena: stage.living.arena, name: 'event', isSet });
  const shadows = new EventShadows(ours);
  stage.witnesses.push(shadows);
  return { stage, shadows, ours, theirs: ManualResetEvent.from(stage.world.handle(ours.handle, stage.victim)) };
}

export function atEvent(
  name: string,
  prepare: (scene: EventScene) => () => unknown,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(eventScene(stage)) };
}

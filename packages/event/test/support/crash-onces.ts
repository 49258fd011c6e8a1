// A once for crash injection: calls of a living agent, and the victim's instance.

import { expect } from 'vitest';
import { records } from '../../../core/src/memory/records.ts';
import { GATE, GRANT, HEADER_ELEMENT_POOL, LINE } from '../../../core/src/kernel/layout.ts';
import { GRANTED, LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { Once } from '../../src/index.ts';
import { ONCE_CLOSED, ONCE_IDLE } from '../../src/kernel/layout.ts';

/** The gates of waiters, before and after a verdict. */
const WAITS: readonly number[] = [QUEUED, LINKED, PARKED, GRANTED];

type Outcome = 'waits' | 'went' | 'left';

export class OnceShadows implements Witness {
  readonly once: Once;
  /** The number of initialisers of the living agent that returned. */
  ran = 0;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(once: Once) {
    this.once = once;
  }

  /** The number of calls that wait for the end of all attempts. */
  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.once.waitAsync({ signal, ref: false }).then(
        () => (shadow.outcome = 'went'),
        () => (shadow.outcome = 'left'),
      );
    }
  }

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  /** Runs an initialiser as the living agent, if no attempt runs. */
  run(): void {
    this.once.tryRun(() => (this.ran += 1));
  }

  get #waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /**
   * Returns the expected state. The recovery ends the victim's attempt. Waiters of a failed attempt wait again, even
   * those that it has admitted.
   */
  expected(words: Words, victim: number): readonly string[] {
    const { address } = this.once.handle;
    const low = words.load32(address + GRANT);
    const state = nameOf(low === victim ? ONCE_IDLE : low);
    const waits = [...records(words, HEADER_ELEMENT_POOL)].filter(
      ({ record, owner }) =>
        owner !== 0 &&
        owner !== victim &&
        words.get32(record + LINE) === address &&
        WAITS.includes(words.load32(record + GATE)),
    );
    return [state, `${state === 'idle' ? waits.length : 0} wait`];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    const { state } = this.once.inspect();
    expect([state, `${this.#waiting} wait`]).toEqual(expected);
    if (state === 'idle') this.once.run(() => (this.ran += 1));
    await settle();
    expect([this.#waiting, this.once.waiting]).toEqual([0, 0]);
    expect(['done', 'closed']).toContain(this.once.inspect().state);
  }

  /** Checks that no initialiser ran after one had returned. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    return this.ran > 1 ? [`${this.ran} initialisers returned`] : [];
  }
}

function nameOf(state: number): string {
  if (state === ONCE_IDLE) return 'idle';
  if (state === ONCE_CLOSED) return 'closed';
  return state < ONCE_IDLE ? 'done' : 'running';
}

export interface OnceScene {
  readonly stage: Stage;
  readonly shadows: OnceShadows;
  readonly ours: Once;
  /** The victim's own instance. */
  readonly theirs: Once;
}

export function onceScene(stage: Stage): OnceScene {
  const ours = Once.create({ arena: stage.living.arena, name: 'once' });
  const shadows = new OnceShadows(ours);
  stage.witnesses.push(shadows);
  return { stage, shadows, ours, theirs: Once.from(stage.world.handle(ours.handle, stage.victim)) };
}

export function atOnce(
  name: string,
  prepare: (scene: OnceScene) => () => unknown,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(onceScene(stage)) };
}

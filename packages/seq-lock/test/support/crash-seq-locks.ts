// A seq-lock for crash injection: writes of a living agent that wait, and the victim's instance.

import { expect } from 'vitest';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import type { Agent } from '../../../core/test/support/crash-world.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { SeqLock, type SeqValue } from '../../src/index.ts';
import { fill, numberIn } from './checksum.ts';

export const BYTES = 12;

export const next = (value: SeqValue): void => fill(value, numberIn(value) + 1);

/** The updates of the living agent. Each must happen exactly once. */
export class Updates implements Witness {
  readonly lock: SeqLock;
  readonly #leaves: (() => void)[] = [];
  #waiting = 0;
  #made = 0;

  constructor(lock: SeqLock) {
    this.lock = lock;
  }

  /** Lets that many updates wait in line. */
  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      this.#waiting += 1;
      this.#leaves.push(leave);
      const settled = (made: number) => (): void => {
        this.#waiting -= 1;
        this.#made += made;
      };
      this.lock.updateAsync(next, { signal, ref: false }).then(settled(1), settled(0));
    }
  }

  /** Makes an update that does not wait. */
  make(): void {
    this.lock.update(next);
    this.#made += 1;
  }

  leave(index: number): void {
    this.#leaves[index]?.();
  }

  get made(): number {
    return this.#made;
  }

  /** Expects that a reader gets a whole value at every moment, even before the recovery. */
  expected(): readonly string[] {
    return [this.lock.read(numberIn) >= this.#made ? 'whole' : 'lost'];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    expect([this.#waiting, expected]).toEqual([0, ['whole']]);
    const [number, made] = [this.lock.read(numberIn), this.#made];
    expect(number).toBeGreaterThanOrEqual(made);
    this.make();
    expect([this.lock.read(numberIn), this.lock.inspect().owner, this.lock.inspect().waiters]).toEqual([
      number + 1,
      0,
      [],
    ]);
  }

  /** After a death within a step the mutex may be lost, but the value is whole. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const leave of this.#leaves) leave();
    await settle();
    return this.expected().filter((text) => text !== 'whole');
  }
}

export interface SeqScene {
  readonly stage: Stage;
  readonly updates: Updates;
  readonly ours: SeqLock;
  /** The victim's own instance. */
  readonly theirs: SeqLock;
  readonly open: (agent: Agent) => SeqLock;
}

export function seqScene(stage: Stage): SeqScene {
  const ours = SeqLock.create({ arena: stage.living.arena, name: 'seq', byteLength: BYTES });
  ours.write((value) => fill(value, 0));
  const updates = new Updates(ours);
  stage.witnesses.push(updates);
  const open = (agent: Agent): SeqLock => SeqLock.from(stage.world.handle(ours.handle, agent));
  return { stage, updates, ours, theirs: open(stage.victim), open };
}

export function atSeqLock(
  name: string,
  prepare: (scene: SeqScene) => () => unknown,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(seqScene(stage)) };
}

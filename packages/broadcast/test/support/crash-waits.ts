// A broadcast with overflow 'wait' for crash injection: publishers and subscriptions of a living agent, and the
// victim's instance.

import { expect } from 'vitest';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { Broadcast, type Subscription } from '../../src/index.ts';
import { slotsOut, slotsThere } from './rest.ts';

type Outcome = 'waits' | 'published' | 'left';

/** Values are eight equal bytes. The living agent's values are from FIRST on. */
export const valueOf = (n: number): Uint8Array => new Uint8Array(8).fill(n);
const FIRST = 100;

export class WaitShadows implements Witness {
  readonly stream: Broadcast<Uint8Array>;
  /** A subscription from the first value on. It holds publishers back until it reads. */
  readonly #all: Subscription<Uint8Array>;
  readonly #shadows: { outcome: Outcome; readonly value: number; readonly leave: () => void }[] = [];
  readonly #got: number[] = [];

  constructor(stream: Broadcast<Uint8Array>) {
    this.stream = stream;
    this.#all = stream.subscribe();
  }

  /** Starts publishers of the living agent, which wait if there is no room. */
  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow = { outcome: 'waits' as Outcome, value: FIRST + this.#shadows.length, leave };
      this.#shadows.push(shadow);
      this.stream.publishAsync(valueOf(shadow.value), { signal, ref: false }).then(
        () => (shadow.outcome = 'published'),
        () => (shadow.outcome = 'left'),
      );
    }
  }

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  /** Reads at most that many of the values that are there, as the living agent. */
  read(most = Infinity): void {
    for (let n = 0; n < most; n++) {
      const value = this.#all.behind > 0 ? this.#all.tryNext() : undefined;
      if (value === undefined) return;
      this.#got.push(value.every((byte) => byte === value[0]) ? (value[0] ?? 0) : -1);
    }
  }

  get #waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /** The end depends on the turns in which publishers continue, so `finish` checks that the results agree. */
  expected(): readonly string[] {
    return [];
  }

  async finish(settle: () => Promise<void>): Promise<void> {
    const { stream } = this;
    for (let round = 0; round < 40 && (round < 2 || this.#waiting > 0); round++) {
      await settle();
      this.read();
    }
    if (!stream.closed) expect(stream.tryPublish(valueOf(99))).toBe(true);
    await settle();
    this.read();
    expect([this.#waiting, stream.waiting, stream.inspect().publishers, slotsOut(stream.arena, stream)]).toEqual([
      0,
      0,
      [],
      0,
    ]);
    expect(this.#problems()).toEqual([]);
    // The marks of the dead agent are free.
    const [mine] = stream.inspect().subscriptions;
    expect(stream.inspect().subscriptions).toEqual([mine]);
    expect(this.#got.length).toBe(stream.published);
  }

  /** Checks that each slot is in one place, and that no value is lost, torn or doubled. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    this.read();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    this.read();
    const slots = slotsThere(this.stream.arena, this.stream);
    const problems = this.#problems();
    return new Set(slots).size === slots.length
      ? problems
      : [...problems, `a slot is in two places: ${slots.join(' ')}`];
  }

  /** Returns the faults of the values that the living agent has read. */
  #problems(): string[] {
    const problems = this.#got.filter((value) => value < 1).map(() => 'a value is torn');
    if (this.#all.lost > 0) problems.push(`${this.#all.lost} values were lost`);
    const ours = this.#got.filter((value) => value >= FIRST);
    const published = this.#shadows.filter(({ outcome }) => outcome === 'published').map(({ value }) => value);
    if (published.some((value) => ours.filter((each) => each === value).length !== 1))
      problems.push(`published ${published.join(' ')}, but read ${ours.join(' ')}`);
    if (ours.some((value, at) => at > 0 && value <= (ours[at - 1] ?? 0)))
      problems.push(`publishers continued as ${ours.join(' ')}`);
    return problems;
  }
}

export interface WaitScene {
  readonly stage: Stage;
  readonly shadows: WaitShadows;
  readonly ours: Broadcast<Uint8Array>;
  /** The victim's own instance. */
  readonly theirs: Broadcast<Uint8Array>;
}

export function waitScene(stage: Stage, capacity = 1): WaitScene {
  const ours = Broadcast.create({
    arena: stage.living.arena,
    name: 'ticks',
    codec: 'bytes',
    maxBytes: 8,
    capacity,
    overflow: 'wait',
    maxSubscriptions: 3,
  });
  const shadows = new WaitShadows(ours);
  stage.witnesses.push(shadows);
  return { stage, shadows, ours, theirs: Broadcast.from<Uint8Array>(stage.world.handle(ours.handle, stage.victim)) };
}

export function atWaits(
  name: string,
  prepare: (scene: WaitScene) => () => unknown,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(waitScene(stage)) };
}

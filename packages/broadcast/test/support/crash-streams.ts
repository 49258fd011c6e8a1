// A broadcast for crash injection: waits of a living agent, and the victim's instance.

import { hasCode } from '@sluice/core';
import { expect } from 'vitest';
import { records } from '../../../core/src/memory/records.ts';
import { DRAWN, GATE, GRANT, HEADER_ELEMENT_POOL, LINE } from '../../../core/src/kernel/layout.ts';
import { LINKED, PARKED, QUEUED } from '../../../core/src/kernel/states.ts';
import type { Words } from '../../../core/src/kernel/words.ts';
import type { Operation, Stage, Witness } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { Broadcast, type Subscription } from '../../src/index.ts';
import { STREAM_CLOSED } from '../../src/kernel/layout.ts';
import { slotsOut, slotsThere } from './rest.ts';

type Outcome = 'waits' | 'went' | 'left';

/** Values are eight equal bytes. */
export const valueOf = (n: number): Uint8Array => new Uint8Array(8).fill(n);

export class StreamShadows implements Witness {
  readonly stream: Broadcast<Uint8Array>;
  /** A subscription from the first value on. */
  readonly #all: Subscription<Uint8Array>;
  readonly #shadows: { outcome: Outcome; readonly leave: () => void }[] = [];

  constructor(stream: Broadcast<Uint8Array>) {
    this.stream = stream;
    this.#all = stream.subscribe();
  }

  come(times = 1): void {
    for (let count = 0; count < times; count++) {
      const { signal, leave } = signalByHand();
      const shadow: { outcome: Outcome; leave: () => void } = { outcome: 'waits', leave };
      this.#shadows.push(shadow);
      this.stream
        .subscribe()
        .nextAsync({ signal, ref: false })
        .then(
          () => (shadow.outcome = 'went'),
          (failure: unknown) => (shadow.outcome = hasCode(failure, 'SLUICE_CLOSED') ? 'went' : 'left'),
        );
    }
  }

  leave(index: number): void {
    this.#shadows[index]?.leave();
  }

  get #waiting(): number {
    return this.#shadows.filter(({ outcome }) => outcome === 'waits').length;
  }

  /** Returns the expected state. The recovery finishes what a publisher has begun, and changes nothing else. */
  expected(words: Words, victim: number): readonly string[] {
    const { address } = this.stream.handle;
    const word = words.load64(address + GRANT);
    const waits = [...records(words, HEADER_ELEMENT_POOL)].filter(({ record, owner }) => {
      const isHere =
        owner !== 0 &&
        owner !== victim &&
        words.get32(record + LINE) === address &&
        [QUEUED, LINKED, PARKED].includes(words.load32(record + GATE));
      return isHere && BigInt.asIntN(64, word - words.get64(record + DRAWN)) < 1n;
    });
    return [
      `${word >> 1n} published`,
      `closed: ${(word & BigInt(STREAM_CLOSED)) !== 0n}`,
      `${waits.length} wait`,
      '0 slots out',
    ];
  }

  async finish(settle: () => Promise<void>, expected: readonly string[]): Promise<void> {
    await settle();
    const { stream } = this;
    const { published, closed } = stream;
    expect([
      `${published} published`,
      `closed: ${closed}`,
      `${this.#waiting} wait`,
      `${slotsOut(stream.arena, stream)} slots out`,
    ]).toEqual(expected);
    if (!closed) stream.publish(valueOf(published + 1));
    await settle();
    expect([this.#waiting, stream.waiting, ...this.#torn()]).toEqual([0, 0]);
  }

  /** Checks that each slot is in one place, and that each value is whole. */
  async doubled(settle: () => Promise<void>, how: 'stay' | 'leave'): Promise<readonly string[]> {
    await settle();
    if (how === 'leave') for (const shadow of this.#shadows) if (shadow.outcome === 'waits') shadow.leave();
    await settle();
    const slots = slotsThere(this.stream.arena, this.stream);
    const problems = this.#torn();
    return new Set(slots).size === slots.length
      ? problems
      : [...problems, `a slot is in two places: ${slots.join(' ')}`];
  }

  /** Returns the faults of the values: value n has bytes n. */
  #torn(): string[] {
    const problems: string[] = [];
    for (let n = 1; this.#all.behind > 0; n++) {
      const value = this.#all.tryNext();
      if (value?.every((byte) => byte === n) !== true) problems.push(`value ${n} is ${[...(value ?? [])].join(' ')}`);
    }
    return problems;
  }
}

export interface StreamScene {
  readonly stage: Stage;
  readonly shadows: StreamShadows;
  readonly ours: Broadcast<Uint8Array>;
  /** The victim's own instance, and its subscription from the first value on. */
  readonly theirs: Broadcast<Uint8Array>;
  readonly subscription: Subscription<Uint8Array>;
}

export function streamScene(stage: Stage): StreamScene {
  const ours = Broadcast.create({
    arena: stage.living.arena,
    name: 'ticks',
    codec: 'bytes',
    maxBytes: 8,
    capacity: 16,
  });
  const shadows = new StreamShadows(ours);
  stage.witnesses.push(shadows);
  const theirs = Broadcast.from<Uint8Array>(stage.world.handle(ours.handle, stage.victim));
  return { stage, shadows, ours, theirs, subscription: theirs.subscribe() };
}

export function atStream(
  name: string,
  prepare: (scene: StreamScene) => () => unknown,
  world: Operation['world'] = {},
): Operation {
  return { name, world, prepare: (stage) => prepare(streamScene(stage)) };
}

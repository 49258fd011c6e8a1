// A world with a watch cell. A value is two equal words, so a torn value shows.

import type { Context, Words } from '@sluice/model';
import { asElement } from '../../../../core/src/kernel/addresses.ts';
import type { ValueSlots } from '../../../src/slots/byte-slots.ts';
import type { Kernel } from '../../../../core/src/kernel/kernel.ts';
import { BLOCK_LINE, ENTRY_HELD, FLAG_COUNTS_WAITS, FLAG_LAST, GRANT } from '../../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../../core/test/model/office-world.ts';
import { agentAt, entryAt, semaphoreAddress, tagOf } from '../../../../core/test/model/places.ts';
import type { Case } from '../../../../core/test/model/case.ts';
import { FREE_SLOTS, READ_WORD, SLOT_HEADER, SLOT_MASK, SLOT_STRIDE } from '../../../src/watch/kernel/layout.ts';
import type { WatchKernel } from '../../../src/watch/kinds.ts';
import type * as Entry from './entry.ts';

export type WatchCore = typeof Entry;
export interface WatchActor extends ShadowUser {
  readonly cell: Entry.WatchCell<number>;
}
export type WatchBody = (actor: WatchActor) => unknown;

export const CELL = semaphoreAddress(0);
export const TAG = tagOf(0);
/** Eight slots fill the cache lines behind the cell's. */
const STRIDE = 32;
const slotAt = (slot: number): number => CELL + BLOCK_LINE + slot * STRIDE;

export interface WatchPlan extends Partial<Omit<OfficeSetup & Plan<WatchActor>, 'before'>> {
  /** The word at the start. Default 0: the first value, in slot 0. */
  readonly word?: bigint;
  /** The slots that are free at the start, as bits. Default: 1 and 2. */
  readonly free?: number;
  /** Agents that read the cell until it is closed. The last value that each read must be the end. */
  readonly ends?: readonly number[];
  /** The agents that are enqueued and asleep at the start. */
  readonly asleep?: readonly number[];
}

/** Both words of a value are scheduling points. The cell keeps the last value, as it does for other numbers. */
class Pairs implements ValueSlots {
  readonly #ctx: Context;

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  pack(value: unknown): unknown {
    return value;
  }

  unpack(packed: unknown): number {
    const [one = 0, other = 0] = packed as readonly number[];
    this.#ctx.assert(one === other, `a value is torn: ${one} and ${other}`);
    return one;
  }

  write(slot: number, value: unknown): void {
    this.#ctx.words.store32(slotAt(slot) + SLOT_HEADER, value as number);
    this.#ctx.words.store32(slotAt(slot) + SLOT_HEADER + 4, value as number);
  }

  read(slot: number): readonly number[] {
    return [this.#ctx.words.load32(slotAt(slot) + SLOT_HEADER), this.#ctx.words.load32(slotAt(slot) + SLOT_HEADER + 4)];
  }
}

class WatchWorld extends OfficeWorld<WatchActor> {
  readonly #free: number;
  readonly #ends: readonly number[];

  constructor(core: WatchCore, setup: OfficeSetup, free: number, ends: readonly number[]) {
    super(core, officeOf(core), setup, (shadowUser) => {
      const { ref, policy, ctx } = shadowUser;
      return {
        ...shadowUser,
        cell: core.watchCellAt<number>({ ref, policy, slots: new Pairs(ctx), codec: 'int32' }),
      };
    });
    this.#free = free;
    this.#ends = ends;
  }

  /**
   * Checks that the newest value is whole, and that every other slot that was free is free again. A cell draws no
   * tickets from the bouncer.
   */
  override checkRest(words: Words): string | undefined {
    const slot = words.load32(CELL + GRANT) & SLOT_MASK;
    const [one, other] = [0, 4].map((at) => words.load32(slotAt(slot) + SLOT_HEADER + at));
    if (one !== other) return `the newest value is torn: ${one} and ${other}`;
    const [free, all] = [words.load32(CELL + FREE_SLOTS), (this.#free | 1) & ~(1 << slot)];
    if (free !== all) return `the slots 0b${free.toString(2)} are free instead of 0b${all.toString(2)}`;
    for (let agent = 0; agent < this.setup.agents; agent++) {
      if (words.get64(entryAt(agent, 0) + ENTRY_HELD) !== 0n) return `agent ${agent} ends with a slot`;
    }
    const end = words.load64(CELL + GRANT);
    for (const agent of this.#ends) {
      const last = words.get64(entryAt(agent, 0) + READ_WORD);
      if (last !== end) return `agent ${agent} saw the end at ${last}, but the cell is at ${end}`;
    }
    return this.checkGathered(words);
  }
}

const officeOf = (core: WatchCore): Office => ({
  kind: core.WATCH_CELL.code,
  load: (context) => context.load(core.WATCH_CELL).steps,
  flags: [FLAG_COUNTS_WAITS | FLAG_LAST],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words) => {
    const slot = words.load32(CELL + GRANT) & SLOT_MASK;
    return (words.load32(CELL + FREE_SLOTS) & (1 << slot)) === 0
      ? undefined
      : `slot ${slot} is free, but has the newest value`;
  },
});

/** A case: its bodies, and the state of the cell at the start. Slot 0 has the value 0. */
export function watchCase(
  core: WatchCore,
  name: string,
  bodies: readonly WatchBody[],
  options: Case['options'],
  plan: WatchPlan = {},
): Case {
  const { word = 0n, free = 0b110, asleep = [], ends = [], ...more } = plan;
  const [low, high] = [Number(BigInt.asIntN(32, word)), Number(BigInt.asIntN(32, word >> 32n))];
  const before = (words: Words, kernel: Kernel): void => {
    words.put64(CELL + GRANT, word);
    words.put32(CELL + FREE_SLOTS, free);
    words.put32(CELL + SLOT_STRIDE, STRIDE);
    for (const agent of asleep)
      putToSleep(
        words,
        kernel,
        agent,
        asElement((kernel as WatchKernel).enqueueAtWatch(CELL, TAG, agentAt(agent), 1, low, high)),
      );
  };
  return new WatchWorld(core, { agents: bodies.length, ...more }, free, ends).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}

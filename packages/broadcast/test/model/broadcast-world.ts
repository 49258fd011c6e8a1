// A world with a broadcast. A value is two equal words, so a torn value shows.

import type { Context, Words } from '@sluice/model';
import type { ValueSlots } from '../../src/slots/byte-slots.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { ENTRY_HELD, FLAG_COUNTS_WAITS, FLAG_LAST, GRANT } from '../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, insideAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { INDEX_AT, INDEX_STRIDE, RING_MASK, SPARES, SPARES_AT } from '../../src/kernel/layout.ts';
import type { BroadcastKernel } from '../../src/kinds.ts';
import type { OpenedBroadcast } from '../../src/create-and-open.ts';
import type * as Entry from './entry.ts';

export type BroadcastCore = typeof Entry;
export interface BroadcastActor extends ShadowUser {
  readonly stream: Entry.Broadcast<number>;
}
export type BroadcastBody = (actor: BroadcastActor) => unknown;

export const STREAM = semaphoreAddress(0);
export const TAG = tagOf(0);
/** The largest number of values that a world keeps. */
const MAX_CAPACITY = 4;
const SLOTS_AT = STREAM + INDEX_AT + MAX_CAPACITY * INDEX_STRIDE;
const slotAt = (slot: number): number => SLOTS_AT + slot * 8;
const spareAt = (place: number): number => STREAM + SPARES_AT + 4 * place;
const indexAt = (entry: number): number => STREAM + INDEX_AT + INDEX_STRIDE * entry;

/** The number of values that an agent has published, read or lost, according to its body. */
export const tallyAt = insideAt;

export interface BroadcastPlan extends Partial<Omit<OfficeSetup & Plan<BroadcastActor>, 'before' | 'spares'>> {
  /** The word at the start: an even number. Default 0. */
  readonly word?: bigint;
  /** The capacity, a power of two. Default 2. */
  readonly capacity?: number;
  /** The number of spare slots at the start. Default 1. */
  readonly spares?: number;
  /** Agents whose tallies count the values that they published. */
  readonly publishers?: readonly number[];
  /** Agents that read the broadcast to its end. The tally of each is the number of values. */
  readonly followers?: readonly number[];
  /** The agents that are enqueued and asleep at the start. */
  readonly asleep?: readonly number[];
}

/** Both words of a value are scheduling points. */
export class Pairs implements ValueSlots {
  readonly #ctx: Context;
  readonly #at: (slot: number) => number;

  constructor(ctx: Context, at: (slot: number) => number) {
    this.#ctx = ctx;
    this.#at = at;
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
    this.#ctx.words.store32(this.#at(slot), value as number);
    this.#ctx.words.store32(this.#at(slot) + 4, value as number);
  }

  read(slot: number): readonly number[] {
    return [this.#ctx.words.load32(this.#at(slot)), this.#ctx.words.load32(this.#at(slot) + 4)];
  }
}

interface Shape {
  readonly word: bigint;
  readonly capacity: number;
  readonly spares: number;
  readonly publishers: readonly number[];
  readonly followers: readonly number[];
}

class BroadcastWorld extends OfficeWorld<BroadcastActor> {
  readonly #shape: Shape;

  constructor(core: BroadcastCore, setup: OfficeSetup, shape: Shape) {
    super(core, officeOf(core, shape), setup, (shadowUser) => {
      const { ref, policy, ctx } = shadowUser;
      const found: OpenedBroadcast = { ref, stream: ref, policy, slots: new Pairs(ctx, slotAt), codec: 'model' };
      return { ...shadowUser, stream: core.broadcastAt<number>(found) };
    });
    this.#shape = shape;
  }

  /**
   * Checks that each slot is in one place, and that values and tallies agree. A broadcast draws no tickets from the
   * bouncer.
   */
  override checkRest(words: Words): string | undefined {
    const { word, capacity, spares, publishers, followers } = this.#shape;
    const found = slotsIn(words, capacity);
    if (found.length !== capacity + spares)
      return `${found.length} slots are left of ${capacity + spares}: ${found.join(' ')}`;
    for (let agent = 0; agent < this.setup.agents; agent++) {
      if (words.get64(entryAt(agent, 0) + ENTRY_HELD) !== 0n) return `agent ${agent} ends with a slot`;
    }
    const published = Number(BigInt.asIntN(64, words.load64(STREAM + GRANT) - word) >> 1n);
    const said = publishers.reduce((sum, agent) => sum + words.get32(tallyAt(agent)), 0);
    if (publishers.length > 0 && said !== published)
      return `${published} values were published, but the publishers counted ${said}`;
    for (const agent of followers) {
      const followed = words.get32(tallyAt(agent));
      if (followed !== published)
        return `${published} values were published, but agent ${agent} ended after ${followed}`;
    }
    return this.checkGathered(words);
  }
}

/** Returns the slots in the index and the spare slots. */
function slotsIn(words: Words, capacity: number): number[] {
  const inIndex = Array.from({ length: capacity }, (_, entry) => words.load32(indexAt(entry)));
  const spares = Array.from({ length: SPARES }, (_, place) => words.load32(spareAt(place)) - 1).filter(
    (slot) => slot >= 0,
  );
  return [...inIndex, ...spares];
}

const officeOf = (core: BroadcastCore, { capacity }: Shape): Office => ({
  kind: core.BROADCAST.code,
  load: (context) => context.load(core.BROADCAST).steps,
  flags: [FLAG_COUNTS_WAITS | FLAG_LAST],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words) => {
    const slots = slotsIn(words, capacity);
    return new Set(slots).size === slots.length ? undefined : `a slot is in two places: ${slots.join(' ')}`;
  },
});

/** A case: its bodies, and the state of the broadcast at the start. */
export function broadcastCase(
  core: BroadcastCore,
  name: string,
  bodies: readonly BroadcastBody[],
  options: Case['options'],
  plan: BroadcastPlan = {},
): Case {
  const { word = 0n, capacity = 2, spares = 1, publishers = [], followers = [], asleep = [], ...more } = plan;
  const [low, high] = [Number(BigInt.asIntN(32, word)), Number(BigInt.asIntN(32, word >> 32n))];
  const before = (words: Words, kernel: Kernel): void => {
    words.put64(STREAM + GRANT, word);
    words.put32(STREAM + RING_MASK, capacity - 1);
    const next = word >> 1n;
    for (let back = 1n; back <= capacity; back++) {
      const entry = Number(BigInt.asUintN(32, next - back)) % capacity;
      words.put32(indexAt(entry), entry);
      words.put32(indexAt(entry) + 4, Number(BigInt.asIntN(32, next - back)));
    }
    for (let place = 0; place < SPARES; place++) words.put32(spareAt(place), place < spares ? 1 + capacity + place : 0);
    for (const agent of asleep)
      putToSleep(
        words,
        kernel,
        agent,
        asElement((kernel as BroadcastKernel).enqueueAtBroadcast(STREAM, TAG, agentAt(agent), 1, low, high)),
      );
  };
  const shape: Shape = { word, capacity, spares, publishers, followers };
  return new BroadcastWorld(core, { agents: bodies.length, ...more }, shape).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}

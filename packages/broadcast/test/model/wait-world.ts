// A world with a broadcast with overflow 'wait': three lines, with the marks behind the slots.

import type { Words } from '@sluice/model';
import { asBlock } from '../../../core/src/kernel/addresses.ts';
import {
  BLOCK_TAG,
  ENTRY_HELD,
  FLAG_COUNTS_WAITS,
  FLAG_LAST,
  FLAG_RECOVERY,
  GRANT,
  KIND_SEMAPHORE,
  OWNER,
  TICKET,
} from '../../../core/src/kernel/layout.ts';
import { OfficeWorld, type Office, type OfficeSetup } from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, semaphoreAddress } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import {
  ENTERING,
  FIRST_MARK,
  INDEX_AT,
  INDEX_STRIDE,
  MARK_AT,
  MARK_COUNT,
  MARK_OWNER,
  MARK_SHIFT,
  MARKS,
  RING_MASK,
  SPARES,
  SPARES_AT,
} from '../../src/kernel/layout.ts';
import type { OpenedBroadcast } from '../../src/create-and-open.ts';
import {
  Pairs,
  tallyAt,
  type BroadcastActor,
  type BroadcastBody,
  type BroadcastCore,
  type BroadcastPlan,
} from './broadcast-world.ts';

const HEAD_LINE = semaphoreAddress(1);
export const STREAM = semaphoreAddress(2);
/** The line of the stream, among those of the world. */
const LINE = 2;
const MAX_CAPACITY = 4;
const SLOTS_AT = STREAM + INDEX_AT + MAX_CAPACITY * INDEX_STRIDE;
const MARKS_AT = 384;
const slotAt = (slot: number): number => SLOTS_AT + slot * 8;
const spareAt = (place: number): number => STREAM + SPARES_AT + 4 * place;
const indexAt = (entry: number): number => STREAM + INDEX_AT + INDEX_STRIDE * entry;
const markAt = (n: number): number => STREAM + MARKS_AT + FIRST_MARK + (n << MARK_SHIFT);

/** The mark of the agent with that index. -1: none. */
export function markOf(words: Words, agent: number): number {
  return [0, 1].find((n) => words.get32(markAt(n) + MARK_OWNER) === agent + 1) ?? -1;
}

export interface WaitPlan extends BroadcastPlan {
  /** The largest number of subscriptions. Default 2. */
  readonly marks?: number;
  /** The number of marks that living agents have at the end. Default 0: every body closes its subscription. */
  readonly left?: number;
}

interface Shape {
  readonly word: bigint;
  readonly capacity: number;
  readonly spares: number;
  readonly marks: number;
  readonly left: number;
  readonly publishers: readonly number[];
}

class WaitWorld extends OfficeWorld<BroadcastActor> {
  readonly #shape: Shape;

  constructor(core: BroadcastCore, setup: OfficeSetup, shape: Shape) {
    super(core, officeOf(core, shape), setup, (shadowUser) => {
      const { ref, policy, ctx } = shadowUser;
      const found: OpenedBroadcast = {
        ref,
        stream: { ...ref, address: asBlock(STREAM) },
        policy,
        slots: new Pairs(ctx, slotAt),
        codec: 'model',
      };
      return { ...shadowUser, stream: core.broadcastAt<number>(found) };
    });
    this.#shape = shape;
  }

  /** Checks that each slot is in one place, that the head's permit is free, and that marks, entries and tallies agree. */
  override checkRest(words: Words): string | undefined {
    const { word, capacity, spares, marks, left, publishers } = this.#shape;
    const found = slotsIn(words, capacity);
    if (found.length !== capacity + spares)
      return `${found.length} slots are left of ${capacity + spares}: ${found.join(' ')}`;
    if (words.load32(HEAD_LINE + BLOCK_TAG) > 0) {
      const free = words.load64(HEAD_LINE + GRANT) - words.load64(HEAD_LINE + TICKET);
      if (free !== 1n) return `${free} permits are free at the end`;
    }
    const owners = Array.from({ length: marks }, (_, n) => words.load32(markAt(n) + MARK_OWNER)).filter(
      (owner) => owner !== 0,
    );
    if (owners.length !== left) return `marks of the agents ${owners.join(' ')} are taken at the end`;
    for (let agent = 0; agent < this.setup.agents; agent++) {
      const held = words.get64(entryAt(agent, LINE) + ENTRY_HELD);
      const count = owners.filter((owner) => owner === agent + 1).length;
      if (held !== BigInt(count) << 32n && words.load32(agentAt(agent) + OWNER) !== 0)
        return `agent ${agent} ends with 0x${held.toString(16)} in its entry`;
    }
    const published = Number(BigInt.asIntN(64, words.load64(STREAM + GRANT) - word) >> 1n);
    const said = publishers.reduce((sum, agent) => sum + words.get32(tallyAt(agent)), 0);
    if (publishers.length > 0 && said !== published)
      return `${published} values were published, but the publishers counted ${said}`;
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

/** Returns the value that a subscription lacks according to its mark. */
function lacking(words: Words, { capacity, marks }: Shape): string | undefined {
  const published = words.get64(STREAM + GRANT) & ~1n;
  for (let n = 0; n < marks; n++) {
    if (words.get32(markAt(n) + MARK_OWNER) === 0 || (words.get32(markAt(n) + MARK_AT) & ENTERING) !== 0) continue;
    for (
      let at = words.get64(markAt(n) + MARK_AT);
      BigInt.asIntN(64, published - at) > 0n;
      at = BigInt.asIntN(64, at + 2n)
    ) {
      const position = Number(BigInt.asIntN(32, at >> 1n));
      const kept = words.get32(indexAt(Number(BigInt.asUintN(32, at >> 1n)) % capacity) + 4);
      if (kept !== position)
        return `the subscription with mark ${n} needs the value at position ${position}, which was replaced by the one at ${kept}`;
    }
  }
  return undefined;
}

const officeOf = (core: BroadcastCore, shape: Shape): Office => ({
  kind: core.BROADCAST.code,
  load: (context) => context.load(core.BROADCAST).steps,
  flags: [FLAG_COUNTS_WAITS, FLAG_RECOVERY, FLAG_COUNTS_WAITS | FLAG_LAST],
  lineKinds: [KIND_SEMAPHORE, core.BROADCAST.code],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words) => {
    const slots = slotsIn(words, shape.capacity);
    if (new Set(slots).size !== slots.length) return `a slot is in two places: ${slots.join(' ')}`;
    return lacking(words, shape);
  },
});

/** A case: its bodies, and the state of the broadcast at the start. */
export function waitCase(
  core: BroadcastCore,
  name: string,
  bodies: readonly BroadcastBody[],
  options: Case['options'],
  plan: WaitPlan = {},
): Case {
  const { word = 0n, capacity = 1, spares = 1, marks = 2, left = 0, publishers = [], ...more } = plan;
  const shape: Shape = { word, capacity, spares, marks, left, publishers };
  const before = (words: Words): void => {
    words.put64(STREAM + GRANT, word);
    words.put64(HEAD_LINE + GRANT, 1n);
    words.put32(STREAM + RING_MASK, capacity - 1);
    words.put32(STREAM + MARKS, MARKS_AT);
    words.put32(STREAM + MARK_COUNT, marks);
    const next = word >> 1n;
    for (let back = 1n; back <= capacity; back++) {
      const entry = Number(BigInt.asUintN(32, next - back)) % capacity;
      words.put32(indexAt(entry), entry);
      words.put32(indexAt(entry) + 4, Number(BigInt.asIntN(32, next - back)));
    }
    for (let place = 0; place < SPARES; place++) words.put32(spareAt(place), place < spares ? 1 + capacity + place : 0);
    for (let n = 0; n < marks; n++) words.put32(markAt(n) + MARK_AT, ENTERING);
  };
  return new WaitWorld(core, { agents: bodies.length, ...more }, shape).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}

// @ts-check
// The broadcast: threads publish values and follow them.
import { Broadcast } from '@sluice/broadcast';
import { hasCode } from '@sluice/core';
import { unless } from './subject.mjs';

/** @import { Place, Subject } from './subject.mjs' */

const NAME = 'Broadcast';
/** The threads that would publish may all be waiting: no wait is longer. */
const LONGEST_MS = 50;
const MAX_BYTES = 256;
const CAPACITY = 16;

/** All bytes are alike, and say the length. @param {number} byte */
const valueOf = (byte) => new Uint8Array(1 + byte).fill(byte);

// As in packages/broadcast/src/kernel/layout.ts: bytes from the start of its block.
const SPARES = 8;
const SPARES_AT = 128;
const INDEX_AT = 192;
const INDEX_STRIDE = 8;

/**
 * The slots of the values and the spare ones, in order: a slot that a dead publisher had and that was not restored is
 * -1.
 * @param {Broadcast<Uint8Array>} stream
 */
function slotsOf({ arena, handle: { address }, capacity }) {
  const memory = new Int32Array(arena.handle.memory.buffer);
  const word = (/** @type {number} */ offset) => Atomics.load(memory, (address + offset) >> 2);
  const kept = Array.from({ length: capacity }, (_, entry) => word(INDEX_AT + entry * INDEX_STRIDE));
  return [...kept, ...Array.from({ length: SPARES }, (_, place) => word(SPARES_AT + 4 * place) - 1)].sort(
    (a, b) => a - b,
  );
}

class BroadcastVisitor {
  #stream;
  #place;
  #subscription;

  /** @param {Broadcast<Uint8Array>} stream @param {Place} place */
  constructor(stream, place) {
    this.#stream = stream;
    this.#place = place;
    this.#subscription = stream.subscribe({ onLag: (lost) => this.#note(lost) });
  }

  async visit() {
    const { random, mayBlock, count } = this.#place;
    if (random.chance(50)) {
      for (let left = random.between(1, 2 * CAPACITY); left > 0; left--) {
        count('operations');
        this.#stream.publish(valueOf(random.below(MAX_BYTES - 1)));
      }
      return;
    }
    if (mayBlock && random.chance(70)) {
      for (let left = random.between(1, 2 * CAPACITY); left > 0; left--) {
        count('operations');
        const value = this.#subscription.tryNext(random.chance(20) ? LONGEST_MS : random.below(10) / 10);
        if (value === undefined) count('timeouts');
        else this.#check(value);
      }
      return;
    }
    await Promise.all(Array.from({ length: random.between(1, 50) }, () => this.#await()));
  }

  async #await() {
    const { count, random } = this.#place;
    count('operations');
    try {
      this.#check(await this.#subscription.nextAsync({ timeout: random.chance(10) ? LONGEST_MS : random.below(3) }));
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_TIMEOUT')) throw failure;
      count('timeouts');
    }
  }

  /** @param {number} lost */
  #note(lost) {
    if (!Number.isInteger(lost) || lost < 1) throw new Error(`${NAME}: ${lost} values were lost`);
  }

  /** @param {Uint8Array} value */
  #check(value) {
    const [first = -1] = value;
    if (value.length !== 1 + first || value.some((byte) => byte !== first))
      throw new Error(`${NAME}: a value is torn: ${[...value].join(' ')}`);
  }
}

/** @type {Subject} */
export const BROADCAST = {
  name: NAME,
  group: 'broadcast',
  covers: [NAME],
  blocks: 1,
  create: (arena) => {
    const made = Broadcast.create({ arena, name: NAME, codec: 'bytes', maxBytes: MAX_BYTES, capacity: CAPACITY });
    return {
      handles: made.handle,
      problems: () => {
        const subscription = made.subscribe();
        for (let n = 0; n < 2 * CAPACITY; n++) {
          made.publish(valueOf(n));
          if (subscription.tryNext()?.[0] !== n) return [`${NAME}: value ${n} is missing`];
        }
        const slots = slotsOf(made);
        return unless(
          NAME,
          { waiters: made.inspect().waiters, slots },
          { waiters: [], slots: slots.map((_, slot) => slot) },
        );
      },
      free: () => made.free(),
    };
  },
  open: (handles, place) => new BroadcastVisitor(Broadcast.from(/** @type {never} */ (handles)), place),
};

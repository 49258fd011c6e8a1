// @ts-check Producers and consumers that use a buffer in every way, and record each call.

import { BoundedBuffer } from '@sluice/bounded-buffer';
import { ClosedError, TimeoutError } from '@sluice/core';
import { DRAWN } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { Recorder } from '../../../../tools/linear/src/recorder.mjs';

/** @import { BoundedBufferHandle } from '@sluice/bounded-buffer' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { QueueSpec, Taping } from '@sluice/linear' */

/** Values of one producer are numbered from `index * MOST` on. */
export const MOST = 1 << 12;
const MAX_AT_ONCE = 6;
/**
 * The number of calls of one worker in a round. A consumer near the end makes only calls that end with a value or with
 * the end.
 */
export const CALLS = 4000;
const RESERVE = 2500;

/**
 * How values lie in the ring. `room`: what the history of such a buffer is checked with.
 * @typedef {object} Kind
 * @property {(capacity: number) => object} options
 * @property {(number: number) => unknown} encode
 * @property {(value: unknown) => number} decode -1: the value is torn
 * @property {(capacity: number) => QueueSpec} spec
 */

/** The words that the bytes of a value take in a ring. */
const LONGEST = 9;

/** @param {number} number */
const bytesOf = (number) => 4 + ((number * 7) % 29);

/** @type {Record<'int32' | 'json' | 'bytes', Kind>} */
export const KINDS = {
  int32: {
    options: (capacity) => ({ codec: 'int32', capacity }),
    encode: (number) => number,
    decode: (value) => Number(value),
    spec: (room) => ({ room }),
  },
  json: {
    options: (capacity) => ({ codec: 'json', capacity, ringBytes: 64 * capacity }),
    encode: (number) => ({ number, tail: 'x'.repeat(number % 5) }),
    decode(value) {
      const { number, tail } = /** @type {{ number: number, tail: string }} */ (value);
      return tail.length === number % 5 ? number : -1;
    },
    spec: (room) => ({ room }),
  },
  // Texts of different lengths: how many fit depends on which are in the ring.
  bytes: {
    options: (capacity) => ({ codec: 'bytes', ringBytes: 4 * LONGEST * capacity }),
    encode(number) {
      const bytes = new Uint8Array(bytesOf(number)).fill(number & 255);
      new DataView(bytes.buffer).setInt32(0, number, true);
      return bytes;
    },
    decode(value) {
      const bytes = /** @type {Uint8Array} */ (value);
      const number = new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true);
      const isWhole = bytes.length === bytesOf(number) && bytes.subarray(4).every((byte) => byte === (number & 255));
      return isWhole ? number : -1;
    },
    spec: (capacity) => ({ room: LONGEST * capacity, unitsOf: (number) => 1 + Math.ceil(bytesOf(number) / 4) }),
  },
};

/**
 * @typedef {object} Part what a worker does in one round
 * @property {BoundedBufferHandle} buffer
 * @property {keyof typeof KINDS} kind
 * @property {'produce' | 'consume'} role
 * @property {number} calls of a producer; a consumer goes on to the end
 * @property {number} closesAfter a producer closes the buffer after so many calls; Infinity: when it is the last one
 */

/** Words that all workers share: the current round, how many workers have ended it, how many still produce. */
export const ROUND = 0;
export const DONE = 1;
export const PRODUCING = 2;
export const WORDS = 3;

/**
 * Runs all rounds in turn, as the words say. A worker without a part in a round ends it at once.
 * @param {{ parts: (Part | undefined)[], words: SharedArrayBuffer, taping: Taping }} data @param {JobContext} job
 */
export async function playAll({ parts, words: shared, taping }, job) {
  const words = new Int32Array(shared);
  for (const [index, part] of parts.entries()) {
    job.say(`round ${index}`);
    for (;;) {
      const round = Atomics.load(words, ROUND);
      if (round > index) break;
      Atomics.wait(words, ROUND, round);
    }
    if (part !== undefined) await new Player(part, taping, job).play(words);
    Atomics.add(words, DONE, 1);
  }
}

/**
 * Runs one part, in a worker that may be killed. @param {{ part: Part, taping: Taping }} data @param {JobContext} job
 */
export async function playOne({ part, taping }, job) {
  await new Player(part, taping, job).play();
}

/** The ticket that this agent drew last in a queue of a buffer. @type {number | undefined} */
let drawn;

/**
 * Records the tickets that this agent draws: the calls of one side must take effect in ticket order.
 * @param {BoundedBuffer<unknown>} buffer
 */
function noteTickets(buffer) {
  const { words, kernel: shared } = contextOf(buffer.arena);
  const kernel = /** @type {import('../../src/sides/kinds.ts').BufferKernel} */ (shared);
  if (Object.hasOwn(kernel, 'notesTickets')) return;
  const { enqueueAtSide: enqueue } = kernel;
  /** @param {Parameters<typeof enqueue>} args */
  const enqueueAtSide = (...args) => {
    const element = enqueue(...args);
    if (element > 0) drawn = Number(words.get64(element + DRAWN));
    return element;
  };
  // The buffer calls the steps of this very object.
  Object.assign(kernel, { enqueueAtSide, notesTickets: true });
}

/** The error of a call on a closed buffer. */
const END = Symbol('end');

class Player {
  #part;
  #kind;
  #job;
  #recorder;
  /** @type {BoundedBuffer<unknown>} */
  #buffer;
  #next;

  /** @param {Part} part @param {Taping} taping @param {JobContext} job */
  constructor(part, taping, job) {
    this.#part = part;
    this.#kind = KINDS[part.kind];
    this.#job = job;
    this.#recorder = new Recorder(taping);
    noteTickets(BoundedBuffer.from(part.buffer));
    this.#buffer = BoundedBuffer.from(part.buffer);
    this.#next = job.index * MOST;
  }

  /** @param {Int32Array} [words] */
  async play(words) {
    if (this.#part.role === 'consume') return this.#consume();
    await this.#produce();
    if (words !== undefined && Atomics.sub(words, PRODUCING, 1) === 1) await this.#close();
  }

  async #produce() {
    const { calls, closesAfter } = this.#part;
    for (let call = 0; call < calls; call++) {
      if (call === closesAfter) await this.#close();
      if ((await this.#put()) === END) return;
    }
  }

  async #consume() {
    while ((await this.#take()) !== END);
  }

  async #close() {
    const at = this.#recorder.begin('close');
    if (this.#job.random.chance(50)) this.#buffer.close();
    else await this.#buffer.closeAsync();
    this.#recorder.end(at, 'done');
  }

  #put() {
    const { random } = this.#job;
    const buffer = this.#buffer;
    switch (random.below(9)) {
      case 0:
        return this.#push(1, ([value]) => (buffer.push(value), 1));
      case 1:
      case 2:
        return this.#push(1, ([value]) => Number(buffer.tryPush(value)));
      case 3:
        return this.#push(1, ([value]) => Number(buffer.tryPush(value, random.below(3))));
      case 4:
        return this.#push(random.between(1, MAX_AT_ONCE), (values) => buffer.pushMany(values));
      case 5:
        return this.#push(random.between(1, MAX_AT_ONCE), (values) => buffer.tryPushMany(values, random.below(2)));
      case 6:
        return this.#pushAsync(random.between(2, MAX_AT_ONCE));
      case 7:
        return this.#pushAsync(1);
      default:
        return this.#burst((nth) => this.#pushAsync(nth === 1 ? 2 : 1));
    }
  }

  #take() {
    const { random } = this.#job;
    const buffer = this.#buffer;
    const way = this.#recorder.left < RESERVE ? 0 : random.below(11);
    switch (way) {
      case 0:
        return this.#pop(1, () => [buffer.pop()]);
      case 1:
      case 2:
        return this.#pop(1, () => asList(buffer.tryPop()));
      case 3:
        return this.#pop(1, () => asList(buffer.tryPop(random.below(3))));
      case 4:
        return this.#pop(MAX_AT_ONCE, (most) => buffer.popMany(most));
      case 5:
        return this.#pop(3, (most) => buffer.tryPopMany(most, random.below(2)));
      case 6:
        return this.#popAsync(MAX_AT_ONCE);
      case 7:
        return this.#popAsync(1);
      case 8:
        return this.#burst(() => this.#popAsync(1));
      case 9:
        return this.#loop(buffer[Symbol.iterator]());
      default:
        return this.#loop(buffer[Symbol.asyncIterator]());
    }
  }

  /** @param {number} count @param {(values: unknown[]) => number | Promise<number>} put how many went in */
  async #push(count, put) {
    const numbers = Array.from({ length: count }, () => this.#next++);
    const values = numbers.map((number) => this.#kind.encode(number));
    const at = this.#recorder.begin('push', numbers);
    drawn = undefined;
    try {
      const called = put(values);
      this.#recorder.stands(at, drawn);
      const done = typeof called === 'number' ? called : await called;
      if (done === 0) this.#recorder.end(at, 'refused');
      else this.#recorder.end(at, 'done', numbers.slice(0, done));
    } catch (failure) {
      return this.#fail(at, failure);
    }
    return undefined;
  }

  /** @param {number} most @param {(most: number) => unknown[] | Promise<unknown[]>} take */
  async #pop(most, take) {
    const at = this.#recorder.begin('pop', [], most);
    drawn = undefined;
    try {
      const called = take(most);
      this.#recorder.stands(at, drawn);
      const values = Array.isArray(called) ? called : await called;
      if (values.length === 0) this.#recorder.end(at, 'refused');
      else
        this.#recorder.end(
          at,
          'done',
          values.map((value) => this.#kind.decode(value)),
        );
    } catch (failure) {
      return this.#fail(at, failure);
    }
    return undefined;
  }

  /** @param {number} count */
  #pushAsync(count) {
    const options = this.#patience();
    if (count === 1) return this.#push(1, ([value]) => this.#buffer.pushAsync(value, options).then(() => 1));
    return this.#push(count, (values) => this.#buffer.pushManyAsync(values, options));
  }

  /** @param {number} most */
  #popAsync(most) {
    const options = this.#patience();
    if (most === 1) return this.#pop(1, () => this.#buffer.popAsync(options).then((value) => [value]));
    return this.#pop(most, () => this.#buffer.popManyAsync(most, options));
  }

  /** The result of an async call. */
  #patience() {
    const { random } = this.#job;
    const way = random.below(4);
    if (way === 0) return { timeout: random.below(4) };
    if (way === 1) return { signal: AbortSignal.timeout(random.below(4)) };
    if (way > 2) return {};
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    return { signal: abort.signal };
  }

  /** Starts several calls at once. @param {(nth: number) => Promise<unknown>} call */
  async #burst(call) {
    const ends = await Promise.all([0, 1, 2].map(call));
    return ends.includes(END) ? END : undefined;
  }

  /** Runs several rounds of the loop. @param {Iterator<unknown> | AsyncIterator<unknown>} iterator */
  async #loop(iterator) {
    for (let rounds = this.#job.random.between(1, 4); rounds > 0; rounds--) {
      const at = this.#recorder.begin('pop');
      drawn = undefined;
      const called = iterator.next();
      this.#recorder.stands(at, drawn);
      const { done, value } = called instanceof Promise ? await called : called;
      if (done === true) {
        this.#recorder.end(at, 'closed');
        return END;
      }
      this.#recorder.end(at, 'done', [this.#kind.decode(value)]);
    }
    await iterator.return?.();
    return undefined;
  }

  /** @param {number} at @param {unknown} failure */
  #fail(at, failure) {
    const isAbort = failure instanceof DOMException;
    if (failure instanceof ClosedError) this.#recorder.end(at, 'closed');
    else if (failure instanceof TimeoutError) this.#recorder.end(at, 'refused');
    else if (isAbort) this.#recorder.end(at, 'gone');
    else throw failure;
    return failure instanceof ClosedError ? END : undefined;
  }
}

/** @param {unknown} value */
function asList(value) {
  return value === undefined ? [] : [value];
}

// @ts-check
// Publishers and subscribers of a broadcast, which may end at any moment.

import { Broadcast } from '@sluice/broadcast';
import { hasCode, Region } from '@sluice/core';
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../../../tools/harness/src/random.mjs';

/** Words of the region: stop, the number of values that were read, the number that were published. */
export const STOP = 0;
export const GOT = 1;
export const PUBLISHED = 2;

/**
 * @typedef {object} Life
 * @property {import('@sluice/broadcast').BroadcastHandle<Uint8Array>} stream
 * @property {import('@sluice/core').RegionHandle} words
 * @property {'publish' | 'follow' | 'visit' | 'idle'} role 'idle': reads nothing
 * @property {number} id of a publisher
 * @property {number} seed
 * @property {number} most how many values a publisher publishes, unless it is stopped
 */

/** The counts of a follower. @typedef {{ got: number, lost: number, hash: number, published: number }} Account */

/**
 * Returns a value: its publisher, its number there, and bytes that encode the length. @param {number} id @param
 * {number} n @param {number} length
 */
export function valueOf(id, n, length) {
  const bytes = new Uint8Array(9 + length).fill(length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, id);
  view.setInt32(4, n);
  return bytes;
}

/** Returns the publisher and the number of the value. Throws if the value is torn. @param {Uint8Array} bytes */
export function read(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = bytes.at(-1);
  if (length === undefined || bytes.length !== 9 + length || bytes.subarray(8).some((byte) => byte !== length))
    throw new Error(`a value is torn: ${[...bytes].join(' ')}`);
  return { id: view.getInt32(0), n: view.getInt32(4) };
}

/** Checks that the values of each publisher come in its order. */
class Order {
  /** @type {Map<number, number>} */
  #last = new Map();
  hash = 0;

  /** @param {Uint8Array} bytes */
  note(bytes) {
    const { id, n } = read(bytes);
    const before = this.#last.get(id) ?? 0;
    if (n <= before) throw new Error(`value ${n} of publisher ${id} came after ${before}`);
    this.#last.set(id, n);
    this.hash = (Math.imul(this.hash, 31) + Math.imul(id, 7919) + n) | 0;
  }
}

/** @param {Life} data */
async function live({ stream: handle, words: region, role, id, seed, most }) {
  const words = Region.from(region).int32;
  const random = new Random(seed);
  const stream = Broadcast.from(handle);
  // A publisher has no subscription: with overflow 'wait' it would hold itself back.
  const subscription = role === 'publish' ? undefined : stream.subscribe({ onLag: () => undefined });
  parentPort?.postMessage('begun');
  const stopped = () => Atomics.load(words, STOP) === 1;
  if (role === 'idle') {
    // It waits until it is killed.
    Atomics.wait(words, STOP, 0);
    return;
  }
  if (subscription !== undefined && role === 'follow') {
    parentPort?.postMessage(await follow(subscription, random));
    return;
  }
  const order = new Order();
  for (let n = 1; !stopped() && n <= most; n++) {
    if (subscription === undefined) {
      if (await publish(stream, random, valueOf(id, n, random.below(200)))) Atomics.add(words, PUBLISHED, 1);
      continue;
    }
    const way = random.below(4);
    const value =
      way === 0
        ? subscription.tryNext(random.below(2))
        : way === 1
          ? await subscription.nextAsync({ signal: AbortSignal.timeout(1) }).catch((/** @type {unknown} */ failure) => {
              if (!(failure instanceof DOMException)) throw failure;
            })
          : subscription.tryNext();
    if (value === undefined) continue;
    order.note(value);
    Atomics.add(words, GOT, 1);
  }
}

/**
 * Publishes a value in a random way. Returns whether it was published: with overflow 'wait' there may be no room in
 * time.
 * @param {Broadcast<Uint8Array>} stream
 * @param {Random} random
 * @param {Uint8Array} value
 */
async function publish(stream, random, value) {
  const way = random.below(8);
  if (way === 0) return stream.tryPublish(value, random.below(2));
  try {
    if (way === 1) await stream.publishAsync(value, { signal: AbortSignal.timeout(1) });
    else if (way === 2) await stream.publishAsync(value);
    else stream.publish(value);
    return true;
  } catch (failure) {
    if (way === 1 && failure instanceof DOMException) return false;
    throw failure;
  }
}

/**
 * Reads to the end, in every way.
 * @param {import('@sluice/broadcast').Subscription<Uint8Array>} subscription
 * @param {Random} random
 * @returns {Promise<Account>}
 */
async function follow(subscription, random) {
  const order = new Order();
  let got = 0;
  try {
    for (;;) {
      const way = random.below(4);
      const value =
        way === 0 ? await subscription.nextAsync() : way === 1 ? subscription.tryNext(1) : subscription.next();
      if (value === undefined) continue;
      order.note(value);
      got += 1;
    }
  } catch (failure) {
    if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
  }
  return { got, lost: subscription.lost, hash: order.hash, published: got + subscription.lost };
}

if (parentPort !== null) void live(workerData);

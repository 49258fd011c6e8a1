// @ts-check A worker that advances an event count until it is killed, or that waits for one value after another.
import { EventCount, Sequencer } from '@sluice/classics';
import { Region } from '@sluice/core';
import { workerData } from 'node:worker_threads';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { EventCountHandle, SequencerHandle } from '@sluice/classics' */

/** Distance in words, so that no two threads share a cache line. */
export const LINE = 32;
/** The last value that a worker waits for. Agents that only advance need minutes to get there. */
export const LAST = 2 ** 31 - 1;

/**
 * `advances`: until it is killed. The others wait: `blocking`, `patient` with short timeouts, `async`. @typedef
 * {'advances' | 'blocking' | 'patient' | 'async'} Way
 */
/**
 * @typedef {object} KilledData
 * @property {EventCountHandle} event
 * @property {SequencerHandle} sequencer
 * @property {RegionHandle} words per worker: the value that it waits for; the last ticket + 1 that it drew
 * @property {Way} way
 * @property {number} index
 * @property {number} stride
 */

/** @param {KilledData} data */
async function live({ event: handle, sequencer: at, words: region, way, index, stride }) {
  const event = EventCount.from(handle);
  const sequencer = Sequencer.from(at);
  const words = Region.from(region).int32;
  const say = (/** @type {number} */ value) => Atomics.store(words, index * LINE, value);
  if (way === 'advances') {
    event.advance();
    // Before the loop: the other agent may have reached the bound of the loop before this one started.
    say(1);
    for (let n = 1; event.read() < LAST / 2; n = (n % stride) + 1) {
      event.advance(n);
      const ticket = sequencer.ticket();
      if (ticket < Atomics.load(words, index * LINE + 1)) throw new Error(`ticket ${ticket} was drawn twice`);
      Atomics.store(words, index * LINE + 1, ticket + 1);
    }
    return;
  }
  for (let value = stride; value < LAST; value = Math.max(value + stride, event.read() + 1)) {
    say(value);
    if (way === 'async') await event.awaitAsync(value);
    else if (way === 'patient') while (!event.tryAwait(value, 0.01));
    else event.await(value);
    if (event.read() < value) throw new Error(`worker ${index} was admitted at ${event.read()}, before ${value}`);
  }
  say(LAST);
}

// The test imports the constants.
if (workerData !== null && typeof workerData === 'object' && 'stride' in workerData)
  // A rejection ends the worker with an error.
  void live(/** @type {KilledData} */ (workerData));

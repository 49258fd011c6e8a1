// @ts-check
// Waits for a word in every way until STOP is set. A woken waiter finds what was written before the word.
import * as wait from '@sluice/address-wait';

/** @import { SharedWordHandle } from '@sluice/address-wait' */
/** @import { JobContext } from '@sluice/harness' */

export const STOP = 0;
export const WAITS = 1;
/** The payload of each change, written before the word: it equals the word. */
export const PAYLOAD = 2;

/** @typedef {{ word: SharedWordHandle, words: Int32Array }} WaysData */

/** @param {wait.SharedWord} word */
export function signalAll(word) {
  wait.keySignal(word);
  wait.locationWakeAll(word);
  wait.wakeByAddressAll(word);
}

/** @param {WaysData} data @param {JobContext} context */
export async function follow({ word: handle, words }, { random, say }) {
  const word = wait.SharedWord.from(handle);
  const over = () => Atomics.load(words, STOP) !== 0;
  /** @type {((seen: number) => unknown)[]} */
  const ways = [
    (seen) => wait.addressWaitUntil(word, () => over() || word.load() !== seen),
    (seen) => wait.addressWaitUntil(word, () => over() || word.load() !== seen, random.below(3)),
    (seen) => {
      const sequence = wait.keyMonitor(word);
      if (!over() && word.load() === seen) wait.keyWait(word, sequence);
    },
    (seen) => {
      for (let sequence = -1; !over() && word.load() === seen; ) sequence = wait.keyWaitLazy(word, sequence);
    },
    (seen) => {
      while (!over() && word.load() === seen) wait.locationWait(word);
    },
    (seen) => !over() && wait.locationWait(word, random.below(3)) && word.load() === seen,
    (seen) => wait.waitOnAddress(word, seen, 50),
    (seen) => wait.waitOnAddress(word, seen, random.below(3)),
    (seen) => wait.addressWaitUntilAsync(word, () => over() || word.load() !== seen),
    (seen) => wait.waitOnAddressAsync(word, seen, { timeout: 5 }).catch(() => undefined),
    () => wait.keyWaitAsync(word, wait.keyMonitor(word), { timeout: 5 }).catch(() => undefined),
  ];
  say('ready');
  while (!over()) {
    await random.pick(ways)(word.load());
    const now = word.load();
    const payload = words[PAYLOAD] ?? 0;
    if (payload < now) throw new Error(`the word is ${now}, but the payload written before it is ${payload}`);
    Atomics.add(words, WAITS, 1);
  }
}

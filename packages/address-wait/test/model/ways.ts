// The ways to wait for a word, and bodies of agents that wait and signal.

import type * as Entry from './entry.ts';
import { semaphoreAddress } from '../../../core/test/model/places.ts';
import type { Someone } from '../../../core/test/model/condition-world.ts';

export type WaitCore = typeof Entry;
export type Agent = Someone<WaitCore>;
type Word = Entry.SharedWord;

export interface Way {
  readonly name: string;
  /** Waits until the word is `value`. Returns false if the wait timed out. */
  readonly wait: (core: WaitCore, word: Word, value: number, timeoutMs?: number) => boolean;
  readonly signal: (core: WaitCore, word: Word) => void;
}

/** A word of the world. Each word has a key of its own. */
export function wordOf({ core, ref }: Agent, index = 0): Word {
  const region = { handle: {} } as never;
  // At the address behind the block of the second semaphore, which no agent uses.
  return Reflect.construct(core.SharedWord, [region, ref, index]) as Word;
}

export const wordAt = (index = 0): number => semaphoreAddress(1) + 4 * index;

const until: Way['wait'] = (core, word, value, timeoutMs) =>
  core.addressWaitUntil(word, () => word.load() === value, timeoutMs);

const monitored: Way['wait'] = (core, word, value, timeoutMs) => {
  for (;;) {
    const sequence = core.keyMonitor(word);
    if (word.load() === value) return true;
    if (!core.keyWait(word, sequence, timeoutMs)) return false;
  }
};

const lazy: Way['wait'] = (core, word, value) => {
  let sequence = -1;
  while (word.load() !== value) sequence = core.keyWaitLazy(word, sequence);
  return true;
};

const located: Way['wait'] = (core, word, value, timeoutMs) => {
  while (word.load() !== value) if (!core.locationWait(word, timeoutMs)) return word.load() === value;
  return true;
};

const onAddress: Way['wait'] = (core, word, value, timeoutMs) => {
  for (let seen = word.load(); seen !== value; seen = word.load())
    if (!core.waitOnAddress(word, seen, timeoutMs)) return false;
  return true;
};

export const WAYS: readonly Way[] = [
  { name: 'addressWaitUntil', wait: until, signal: (core, word) => core.addressSignal(word) },
  { name: 'addressWaitUntil, polite signals', wait: until, signal: (core, word) => core.addressSignalPolite(word) },
  { name: 'keyWait', wait: monitored, signal: (core, word) => core.keySignal(word) },
  { name: 'keyWait, polite signals', wait: monitored, signal: (core, word) => core.keySignalPolite(word) },
  { name: 'keyWaitLazy', wait: lazy, signal: (core, word) => core.keySignal(word) },
  { name: 'locationWait', wait: located, signal: (core, word) => core.locationWakeAll(word) },
  { name: 'locationWait, polite signals', wait: located, signal: (core, word) => core.locationWakeAllPolite(word) },
  { name: 'waitOnAddress', wait: onAddress, signal: (core, word) => core.wakeByAddressAll(word) },
];

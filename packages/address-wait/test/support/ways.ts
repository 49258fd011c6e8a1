// The four ways to wait for a condition behind one interface: a loop that waits, and the matching signal.

import {
  addressSignal,
  addressSignalPolite,
  addressWaitUntil,
  addressWaitUntilAsync,
  keyMonitor,
  keySignal,
  keySignalPolite,
  keyWait,
  keyWaitAsync,
  keyWaitLazy,
  locationWait,
  locationWakeAll,
  locationWakeAllPolite,
  waitOnAddress,
  waitOnAddressAsync,
  wakeByAddressAll,
  wakeByAddressSingle,
  type SharedWord,
} from '../../src/index.ts';

/** Waits until the word is `wanted`. Returns false if `timeoutMs` elapsed. */
type Wait = (word: SharedWord, wanted: number, timeoutMs?: number) => boolean;

export interface Way {
  readonly name: string;
  readonly wait: Wait;
  readonly signal: (word: SharedWord) => void;
  readonly waitAsync?: (
    word: SharedWord,
    wanted: number,
    options?: { timeout?: number; signal?: AbortSignal; ref?: boolean },
  ) => Promise<void>;
}

/** Waits in a loop that checks the word: the calls may return spuriously. */
function stepping(step: (word: SharedWord, seen: number, left: number) => boolean): Wait {
  return (word, wanted, timeoutMs = Infinity) => {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const seen = word.load();
      if (seen === wanted) return true;
      const left = Math.max(0, end - performance.now());
      if (!step(word, seen, left) && performance.now() >= end) return word.load() === wanted;
    }
  };
}

const until: Wait = (word, wanted, timeoutMs) => addressWaitUntil(word, () => word.load() === wanted, timeoutMs);

const monitored: Wait = (word, wanted, timeoutMs = Infinity) => {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const sequence = keyMonitor(word);
    if (word.load() === wanted) return true;
    if (!keyWait(word, sequence, Math.max(0, end - performance.now()))) return word.load() === wanted;
  }
};

const lazily: Wait = (word, wanted, timeoutMs = Infinity) => {
  const end = performance.now() + timeoutMs;
  let sequence = -1;
  while (word.load() !== wanted) {
    const left = Math.max(0, end - performance.now());
    if (left === 0) return false;
    sequence = keyWaitLazy(word, sequence, left);
  }
  return true;
};

const untilAsync: Way['waitAsync'] = async (word, wanted, options) => {
  await addressWaitUntilAsync(word, () => word.load() === wanted, options);
};

const monitoredAsync: Way['waitAsync'] = async (word, wanted, options) => {
  for (;;) {
    const sequence = keyMonitor(word);
    if (word.load() === wanted) return;
    await keyWaitAsync(word, sequence, options);
  }
};

const onAddressAsync: Way['waitAsync'] = async (word, wanted, options) => {
  for (let seen = word.load(); seen !== wanted; seen = word.load()) await waitOnAddressAsync(word, seen, options);
};

export const WAYS: readonly Way[] = [
  { name: 'addressWaitUntil, addressSignal', wait: until, waitAsync: untilAsync, signal: addressSignal },
  { name: 'addressWaitUntil, addressSignalPolite', wait: until, waitAsync: untilAsync, signal: addressSignalPolite },
  { name: 'keyWait, keySignal', wait: monitored, waitAsync: monitoredAsync, signal: keySignal },
  { name: 'keyWait, keySignalPolite', wait: monitored, waitAsync: monitoredAsync, signal: keySignalPolite },
  { name: 'keyWaitLazy, keySignal', wait: lazily, signal: keySignal },
  {
    name: 'locationWait, locationWakeAll',
    wait: stepping((word, _, left) => locationWait(word, left)),
    signal: locationWakeAll,
  },
  {
    name: 'locationWait, locationWakeAllPolite',
    wait: stepping((word, _, left) => locationWait(word, left)),
    signal: locationWakeAllPolite,
  },
  {
    name: 'waitOnAddress, wakeByAddressAll',
    wait: stepping((word, seen, left) => waitOnAddress(word, seen, left)),
    waitAsync: onAddressAsync,
    signal: wakeByAddressAll,
  },
  {
    name: 'waitOnAddress, wakeByAddressSingle',
    wait: stepping((word, seen, left) => waitOnAddress(word, seen, left)),
    waitAsync: onAddressAsync,
    signal: wakeByAddressSingle,
  },
];

export const ASYNC_WAYS = WAYS.filter(
  (way): way is Way & Required<Pick<Way, 'waitAsync'>> => way.waitAsync !== undefined,
);

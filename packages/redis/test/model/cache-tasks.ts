// Tasks at a cache: they get, set and remove the value of one key.
//
// A change is a set, a delete or a clear, and changes are numbered as they begin. A value has the number of the last
// change that had begun when it was computed, or its own number if it was set. So a call must never get a value with a
// smaller number than that of a change that had ended when the call began.

import type { Random } from '@sluice/harness';
import type { Process } from './world.ts';

export interface CacheTally {
  /** The number of the last change that has begun, and of the last one that has ended. */
  begun: number;
  ended: number;
  /** The process that makes a change. One change is made at a time. */
  changing: Process | undefined;
  /** Changes whose process died or lost its lease: they may take effect late. */
  readonly unknown: Set<number>;
  wrong: string;
}

interface Value {
  readonly number: number;
  readonly isSet: boolean;
}

const FAILED = new Error('The function failed');
const KEY = 'a';
const TTL = 10_000_000;

export function cacheTally(): CacheTally {
  return { begun: 0, ended: 0, changing: undefined, unknown: new Set(), wrong: '' };
}

/** Uses the cache `rounds` times. */
export async function useCache(
  process: Process,
  random: Random,
  tally: CacheTally,
  rounds: number,
  patienceMs: number,
): Promise<void> {
  const cache = process.space.cache<Value>('c', { ttl: TTL });
  const compute = async (): Promise<Value> => {
    const number = tally.begun;
    await new Promise<void>((resolve) => process.after(random.below(300), resolve));
    if (random.chance(25)) throw FAILED;
    return { number, isSet: false };
  };
  const look = async (): Promise<void> => {
    const { ended } = tally;
    const choice = random.below(4);
    const value =
      choice === 0
        ? await cache.peek(KEY)
        : choice === 1
          ? await cache.tryGet(KEY, compute, random.below(patienceMs))
          : await cache.getAsync(KEY, compute);
    if (value === undefined || value.number >= ended || (value.isSet && tally.unknown.has(value.number))) return;
    tally.wrong ||= `a call got the value of change ${value.number}, and change ${ended} had ended`;
  };
  const change = async (): Promise<void> => {
    const number = ++tally.begun;
    tally.changing = process;
    // Until the change has ended, it may take effect at any time.
    tally.unknown.add(number);
    try {
      const choice = random.below(3);
      if (choice === 0) await cache.set(KEY, { number, isSet: true });
      else if (choice === 1) await cache.delete(KEY);
      else await cache.clear();
      tally.unknown.delete(number);
      tally.ended = number;
    } finally {
      tally.changing = undefined;
    }
  };
  for (let round = 0; round < rounds; round++) {
    await new Promise<void>((resolve) => process.after(random.below(200), resolve));
    const mayChange = tally.changing === undefined || !tally.changing.alive;
    try {
      await (mayChange && random.chance(30) ? change() : look());
    } catch (failure) {
      if (failure !== FAILED && (failure as { code?: string }).code !== 'SLUICE_LEASE_LOST') throw failure;
    }
  }
}

// The words that a spinning agent read in its last round without effect. The explorer holds the agent before its next
// round until one of these words changes.
//
// No outcome is lost. A round that begins while nothing has changed could still end differently, if a word changes
// between two of its reads. But a round without effect leaves nothing behind. So the schedule in which the agent skips
// the round without effect has the same outcome.

import type { Log } from './log.ts';
import type { Memory } from './memory.ts';
import { DEAD, type Operation, type Value } from './operation.ts';

export interface Watch {
  readonly addresses: readonly number[];
  readonly values: readonly Value[];
}

/** Returns the watch of the round that begins at `start`. */
export function watchFrom(log: Log, start: number): Watch {
  const seen = new Map<string, { address: number; value: Value }>();
  for (let at = start; at < log.length; at += 1) {
    const code = log.codes[at] as number;
    const address = code >>> 5;
    const value = log.answers[at] as Value;
    if ((code & 31) > DEAD) continue;
    seen.set(`${address} ${value}`, { address, value });
  }
  const reads = [...seen.values()];
  return { addresses: reads.map((read) => read.address), values: reads.map((read) => read.value) };
}

/** Returns whether the next round of the agent would have no effect. */
export function isVain(watch: Watch, next: Operation, memory: Memory): boolean {
  if (!watch.addresses.includes(next.address)) return false;
  return watch.addresses.every((address, index) => {
    const value = watch.values[index];
    return (typeof value === 'bigint' ? memory.read64(address) : memory.read32(address)) === value;
  });
}

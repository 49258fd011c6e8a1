// What a spinning agent saw in its last vain round: until one of these words changes, the next round is as vain.

import type { Memory } from './memory.ts';
import type { Operation, Value } from './operation.ts';

export interface Watch {
  readonly addresses: readonly number[];
  readonly values: readonly Value[];
}

function unchanged(watch: Watch, memory: Memory): boolean {
  return watch.addresses.every((address, index) => {
    const value = watch.values[index];
    return (typeof value === 'bigint' ? memory.read64(address) : memory.read32(address)) === value;
  });
}

/** Whether the agent would only go round once more. */
export function isVain(watch: Watch, next: Operation, memory: Memory): boolean {
  return watch.addresses.includes(next.address) && unchanged(watch, memory);
}

/**
 * Whether going round may be left out altogether. With one word it may. With several it may not: while the agent is
 * between two of them the first can change back and the second change, which is a round unlike the last one.
 */
export function mustHold(watch: Watch, next: Operation): boolean {
  return watch.addresses.length === 1 && watch.addresses.includes(next.address);
}

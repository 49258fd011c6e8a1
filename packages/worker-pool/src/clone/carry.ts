// How a value travels: as bytes, or in a message. Either way it arrives as `structuredClone` would hand it out.
//
// There is one difference, so that no program sends data by accident: a view of the memory that Node.js shares among Buffers arrives with
// memory of its own, while a clone has all of it.

import { readValue, referTo, writeValue } from './bytes.ts';
import { mirror } from './mirror.ts';
import { copiesOf } from './node-pool.ts';
import type { SharedMemories } from './shared.ts';
import { survey } from './survey.ts';

const NOTHING_BEFORE = new Uint8Array(0);

export class Carrier {
  readonly memories: SharedMemories;

  constructor(memories: SharedMemories) {
    this.memories = memories;
  }

  /**
   * `undefined`: it has to go as a message, or is longer than `most`. `before`: what stands before it, and in how many
   * arenas it lies is written to `refer`.
   */
  toBytes(value: unknown, before: Uint8Array, most: number): { readonly bytes: Uint8Array; readonly isShared: boolean } | undefined {
    try {
      let found = survey(value, this.memories);
      let whole = value;
      if (found.hasAccessor && !found.isExotic) {
        whole = mirror(value, new Map());
        found = survey(whole, this.memories);
      }
      if (found.isExotic || found.leastBytes > most) return undefined;
      const isShared = found.shared.length > 0;
      if (isShared || found.pooled.length > 0) {
        const replaced = new Map<object, object>(copiesOf(found.pooled));
        for (const one of found.shared) replaced.set(one, referTo(one));
        whole = mirror(whole, replaced);
      }
      const bytes = writeValue(whole, before, isShared ? this.memories : undefined);
      return bytes.length > most ? undefined : { bytes, isShared };
    } catch {
      // Then it goes as a message. If that fails, its error says why.
      return undefined;
    }
  }

  fromBytes(bytes: Uint8Array): unknown {
    return readValue(bytes, this.memories);
  }

  /** What to post for it. What is in the `transferList` stays the same object. */
  toMessage(value: unknown, transferList: readonly object[]): unknown {
    const kept = transferList.map((one) => [one, one] as const);
    try {
      let found = survey(value, this.memories);
      let whole = value;
      if (found.hasAccessor) {
        whole = mirror(value, new Map(kept));
        found = survey(whole, this.memories);
      }
      return found.pooled.length === 0 ? whole : mirror(whole, new Map<object, object>([...copiesOf(found.pooled), ...kept]));
    } catch {
      return value;
    }
  }

  /** Throws when no message can carry it, without a transfer list. */
  check(value: unknown): void {
    if (this.toBytes(value, NOTHING_BEFORE, Infinity) === undefined) structuredClone(value);
  }
}

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

  /** What to post for it. */
  toMessage(value: unknown): unknown {
    try {
      const found = survey(value, this.memories);
      if (!found.hasAccessor) return withoutPools(value, found.pooled);
      const plain = mirror(value, new Map());
      return withoutPools(plain, survey(plain, this.memories).pooled);
    } catch {
      return value;
    }
  }

  /** Throws when no message can carry it, without a transfer list. */
  check(value: unknown): void {
    if (this.toBytes(value, NOTHING_BEFORE, Infinity) === undefined) structuredClone(value);
  }
}

function withoutPools(value: unknown, pooled: readonly ArrayBufferView[]): unknown {
  return pooled.length === 0 ? value : mirror(value, copiesOf(pooled));
}

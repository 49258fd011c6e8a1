// Encodes values: as bytes, or for a message. Either way a value arrives as `structuredClone` would return it.
//
// There is one difference. A view of the memory that Node.js shares among Buffers arrives with memory of its own. A
// clone would contain all of that memory, so a program could send other data by accident.

import { readValue, referTo, writeValue } from './bytes.ts';
import { clone } from './clone.ts';
import { mirror } from './mirror.ts';
import { copiesOf } from './node-pool.ts';
import type { SharedMemories } from './shared-memories.ts';
import { survey } from './survey.ts';

const NOTHING_BEFORE = new Uint8Array(0);

export class TaskCodec {
  readonly memories: SharedMemories;

  constructor(memories: SharedMemories) {
    this.memories = memories;
  }

  /**
   * Encodes a value as bytes, after the bytes `before`. Returns `undefined` if the value must be sent as a message, or
   * is longer than `most` bytes. `isShared`: whether the bytes refer to memory that both ends share.
   */
  toBytes(
    value: unknown,
    before: Uint8Array,
    most: number,
  ): { readonly bytes: Uint8Array; readonly isShared: boolean } | undefined {
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
      // The value is sent as a message instead. If that fails, the error of the message says why.
      return undefined;
    }
  }

  fromBytes(bytes: Uint8Array): unknown {
    return readValue(bytes, this.memories);
  }

  /** Returns the value to post in a message. Objects of the `transferList` are kept, not copied. */
  toMessage(value: unknown, transferList: readonly object[]): unknown {
    const kept = transferList.map((one) => [one, one] as const);
    try {
      let found = survey(value, this.memories);
      let whole = value;
      if (found.hasAccessor) {
        whole = mirror(value, new Map(kept));
        found = survey(whole, this.memories);
      }
      return found.pooled.length === 0
        ? whole
        : mirror(whole, new Map<object, object>([...copiesOf(found.pooled), ...kept]));
    } catch {
      return value;
    }
  }

  /** Throws if no message without a transfer list can carry the value. */
  check(value: unknown): void {
    if (this.toBytes(value, NOTHING_BEFORE, Infinity) === undefined) clone(value);
  }
}

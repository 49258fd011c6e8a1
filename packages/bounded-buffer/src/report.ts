// What `inspect` tells of a buffer.

import type { Waiter } from '@sluice/core';
import { BLOCK_LINE, readName, ROOM, UNIT_BYTES, type Place } from '@sluice/core/internal';
import type { Side } from './side.ts';

export interface BufferReport {
  readonly kind: 'bounded-buffer';
  readonly name: string;
  readonly codec: string;
  /** Values in it. */
  readonly length: number;
  readonly closed: boolean;
  /** Bytes of the ring that values may fill. */
  readonly ringBytes: number;
  /** Who waits for room, and for values; `permits`: units of room, values. */
  readonly producers: readonly Waiter[];
  readonly consumers: readonly Waiter[];
}

export function reportBuffer(
  { context: { words }, address }: Place,
  { length, closed, handle }: { readonly length: number; readonly closed: boolean; readonly handle: { readonly codec: string } },
  producers: Side,
  consumers: Side,
): BufferReport {
  return {
    kind: 'bounded-buffer',
    name: readName(words, address),
    codec: handle.codec,
    length,
    closed,
    ringBytes: words.get32(address + BLOCK_LINE + ROOM) * words.get32(address + UNIT_BYTES),
    producers: producers.inspect().waiters,
    consumers: consumers.inspect().waiters,
  };
}

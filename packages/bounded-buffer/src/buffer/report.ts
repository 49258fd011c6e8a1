// The report of a buffer, which `inspect` returns.

import type { Waiter } from '@sluice/core';
import { BLOCK_LINE } from '@sluice/core/format';
import { readName, type BlockRef } from '@sluice/core/internal';
import { ROOM, UNIT_BYTES } from '../kernel/layout.ts';
import type { Side } from '../sides/side.ts';

export interface BufferReport {
  readonly kind: 'bounded-buffer';
  readonly name: string;
  readonly codec: string;
  /** The number of values in the buffer. */
  readonly length: number;
  readonly closed: boolean;
  /** The bytes of the ring that values may use. */
  readonly ringBytes: number;
  /** The agents that wait for room, and the agents that wait for values. `permits`: units of room, or values. */
  readonly producers: readonly Waiter[];
  readonly consumers: readonly Waiter[];
}

export function reportBuffer(
  { context: { words }, address }: BlockRef,
  {
    length,
    closed,
    handle,
  }: { readonly length: number; readonly closed: boolean; readonly handle: { readonly codec: string } },
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
    producers: producers.lines.inspect().waiters,
    consumers: consumers.lines.inspect().waiters,
  };
}

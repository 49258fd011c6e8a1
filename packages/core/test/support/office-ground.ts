// Box offices of every kind for a driver of kernel steps.

import * as L from '../../src/kernel/layout.ts';
import { countLines, groundBytesUsed, type Plan } from './block-ground.ts';

const OWNED_RECORDED = L.FLAG_OWNED | L.FLAG_RECOVERY;

export const OFFICE_PLANS: readonly Plan[] = [
  { kind: L.KIND_MUTEX, lines: [{ flags: L.FLAG_MUTEX | L.FLAG_OWNED }] },
  { kind: L.KIND_RECURSIVE_MUTEX, lines: [{ flags: L.FLAG_MUTEX | L.FLAG_OWNED }] },
  { kind: L.KIND_EVENT, lines: [{ flags: L.FLAG_EVENT, noted: true }] },
  {
    kind: L.KIND_RW_LOCK,
    lines: [
      { flags: L.FLAG_READERS | OWNED_RECORDED, noted: true },
      { flags: L.FLAG_WRITERS | OWNED_RECORDED, noted: true },
    ],
  },
];

export const MUTEX = 0;
export const RECURSIVE = 1;
export const EVENT = 2;
export const READERS = 3;
export const WRITERS = 4;
/** All lines; the last two are of one office. */
export const LINES = 5;

/** How many bytes the driver uses, at the most. */
export function officeBytesUsed(heap: number): number {
  return groundBytesUsed(heap, countLines(OFFICE_PLANS));
}

// The kind of primitive in a block.

import {
  BLOCK_KIND,
  KIND_FREE,
  KIND_LEAVING,
  KIND_POOL,
  KIND_REGION,
  KIND_RETIRED,
  KIND_SEMAPHORE,
  LAST_BASE_KIND,
} from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { kindText } from '../agent/kind.ts';
import { isOwnedLock } from '../memory/lock-health.ts';
import type { Reader } from './holders-and-waiters.ts';

const KINDS = new Map<number, string>([
  [KIND_SEMAPHORE, 'semaphore'],
  [KIND_REGION, 'region'],
  [KIND_POOL, 'pool'],
  [KIND_FREE, 'free'],
  [KIND_LEAVING, 'free'],
  [KIND_RETIRED, 'free'],
]);

/** The kind of primitive in a block. */
export function kindOf(context: Reader, address: number): string {
  const { words } = context;
  const kind = words.load32(address + BLOCK_KIND);
  if (kind > LAST_BASE_KIND)
    return context.kindWith(kind)?.kind.title ?? (isOwnedLock(words, address) ? 'lock' : kindText(kind));
  return kind === KIND_SEMAPHORE && isOwnedLock(words, address) ? 'lock' : (KINDS.get(kind) ?? 'unknown');
}

/** Whether the block is a primitive, which may have a name. */
export function hasName(words: Words, address: number): boolean {
  const kind = words.load32(address + BLOCK_KIND);
  return kind > LAST_BASE_KIND || kind === KIND_SEMAPHORE || kind === KIND_REGION;
}

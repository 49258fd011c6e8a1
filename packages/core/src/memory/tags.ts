// Tags distinguish a primitive from earlier ones at the same address.

import { BLOCK_ERA, BLOCK_TAG, HEADER_TAGS } from '../kernel/layout.ts';
import type { Words } from '../kernel/words.ts';
import { blocks } from './blocks.ts';

/** Tags are 1 to this number minus 1. After the last one they begin again, in another era. */
const TAGS = 2 ** 31;

export interface Tag {
  /** Positive, and different from the tag of every living primitive of the arena. */
  readonly tag: number;
  /** The number of times that the tags had wrapped. No two primitives have the same pair of tag and era. */
  readonly era: number;
}

/**
 * By arena: the next tag that belongs to a primitive from before a wrap, and the era. Not a `Tag`, because `next` may
 * be `TAGS`, which is a double to V8.
 */
const limits = new WeakMap<Words, { readonly next: number; readonly era: number }>();

/** Returns a tag for a new primitive. */
export function drawTag(words: Words): Tag {
  for (;;) {
    const drawn = Number(words.add64(HEADER_TAGS, 1n)) + 1;
    const tag = tagIn(drawn);
    const era = Math.floor(drawn / TAGS);
    if (tag !== 0 && (era === 0 || isFresh(words, tag, era))) return { tag, era };
  }
}

/** Returns a tag for a line of a primitive. */
export function newTag(words: Words): number {
  return drawTag(words).tag;
}

/** Returns the tag of the primitive or line at that address, or 0 if it was freed. A closed one has its tag negated. */
export function tagAt(words: Pick<Words, 'load32'>, address: number): number {
  return Math.abs(words.load32(address + BLOCK_TAG));
}

/** Returns the tag for a handle, which includes the era. */
export function handleTag(words: Words, address: number, tag: number): number {
  return words.load32(address + BLOCK_ERA) * TAGS + tag;
}

/** Returns the tag as the block stores it. */
export function tagOf(handle: { readonly tag: number }): number {
  return tagIn(handle.tag);
}

/**
 * Needs `| 0`: V8 keeps the result of this % as a double, and each uncontended call would convert that to an integer.
 */
function tagIn(count: number): number {
  return (count % TAGS) | 0;
}

export function eraOf(handle: { readonly tag: number }): number {
  return Math.floor(handle.tag / TAGS);
}

/** Whether the tag is free. All tags before the next one in use are free, so few draws need a walk over the blocks. */
function isFresh(words: Words, tag: number, era: number): boolean {
  let limit = limits.get(words);
  if (limit?.era !== era || tag > limit.next) {
    limit = { next: nextInUse(words, tag, era), era };
    limits.set(words, limit);
  }
  return tag !== limit.next;
}

/** Returns the lowest tag, from `tag` on, that a primitive of an older era has. */
function nextInUse(words: Words, tag: number, era: number): number {
  let lowest = TAGS;
  for (const block of blocks(words)) {
    const used = tagAt(words, block);
    if (used >= tag && used < lowest && words.load32(block + BLOCK_ERA) !== era) lowest = used;
  }
  return lowest;
}

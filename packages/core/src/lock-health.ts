// The rule for every owned lock whose owner dies: the lock goes to the next waiter, with notice.
//
// HEALTH, one word, written only by the lock's owner or on behalf of a dead one
//
//   CONSISTENT    ▶ ORPHANED       the owner died [kernel: orphan]
//   ORPHANED      ▶ INHERITED      the next owner is told [inherit]
//   INHERITED     ▶ CONSISTENT     it repaired what the lock protects [markConsistent]
//   INHERITED     ▶ ORPHANED       it died, too [kernel: orphan], or handed the notice on unread [decline]
//   INHERITED     ▶ UNRECOVERABLE  it unlocked without a word [beforeUnlock]: refused to everybody from now on
//   ORPHANED, UNRECOVERABLE ▶ INHERITED   an agent that owns the lock takes it over, to repair what it protects [takeOver]
//
// As POSIX's robust mutexes do, with agent ids that are never used again, so that no ownership is mistaken for another.

import { BLOCK_LINE, FLAG_DEALT, FLAG_INNER, FLAG_LANE, FLAG_OWNED, FLAG_SIDE, FLAG_WRITERS, FLAGS, FRONT, HEALTH, HOME } from './kernel/layout.ts';
import { CONSISTENT, INHERITED, ORPHANED, UNRECOVERABLE } from './kernel/states.ts';
import type { Words } from './kernel/words.ts';

/** What the owner of a lock needs to know of those before it. */
export class LockHealth {
  readonly #words: Words;
  readonly #word: number;

  /** `lock`: address of the block that has the word HEALTH. */
  constructor(words: Words, lock: number) {
    this.#words = words;
    this.#word = lock + HEALTH;
  }

  /** Right after taking the lock: what was found. Who finds ORPHANED has inherited it. */
  inherit(): number {
    const found = this.#words.load32(this.#word);
    if (found === ORPHANED) this.#words.store32(this.#word, INHERITED);
    return found;
  }

  /** Whether the owner inherited the lock and has not marked it consistent. */
  get isDoubtful(): boolean {
    return this.#words.load32(this.#word) === INHERITED;
  }

  markConsistent(): void {
    this.#words.store32(this.#word, CONSISTENT);
  }

  /** Leaves the notice to the next owner. */
  decline(): void {
    this.#words.store32(this.#word, ORPHANED);
  }

  /** Right after taking the lock, in any state: whether there is something to repair. If so, the owner has inherited the lock. */
  takeOver(): boolean {
    if (this.#words.load32(this.#word) === CONSISTENT) return false;
    this.#words.store32(this.#word, INHERITED);
    return true;
  }

  /** Before the lock is given back, never after it: then it would be another owner's. */
  beforeUnlock(): void {
    if (this.isDoubtful) this.#words.store32(this.#word, UNRECOVERABLE);
  }
}

/** Whether the block at `address` is an owned lock: has a HEALTH word, and an owner instead of holders. */
export function isOwnedLock(words: Words, address: number): boolean {
  return (words.get32(address + FLAGS) & FLAG_OWNED) !== 0;
}

/**
 * The block of what is waited for at `address`: a read-write lock's writers, a capacitor's lanes, a buffer's sides and what stands behind
 * a box office or a home have lines of their own in it.
 */
export function lockOf(words: Words, address: number): number {
  const flags = words.get32(address + FLAGS);
  if ((flags & (FLAG_LANE | FLAG_SIDE)) !== 0) return words.get32(address + HOME);
  if ((flags & (FLAG_INNER | FLAG_DEALT)) !== 0) return words.get32(address + FRONT);
  return (flags & FLAG_WRITERS) !== 0 ? address - BLOCK_LINE : address;
}

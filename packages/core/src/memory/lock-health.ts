// The rule for every owned lock whose owner dies: the next owner gets the lock, with a notice.
//
// HEALTH, one word, written only by the lock's owner or on behalf of a dead owner
//
//   CONSISTENT    ▶ ORPHANED       the owner died [kernel: orphan]
//   ORPHANED      ▶ INHERITED      the next owner gets the notice [inherit]
//   INHERITED     ▶ CONSISTENT     the owner repaired what the lock protects [markConsistent]
//   INHERITED     ▶ ORPHANED       the owner died, too [kernel: orphan], or passed the notice on unread [decline]
//   INHERITED     ▶ UNRECOVERABLE  the owner unlocked without marking it consistent [beforeUnlock]: later owners are
//                                  refused
//   ORPHANED, UNRECOVERABLE ▶ INHERITED   an agent that owns the lock takes it over, to repair what it protects
//                                         [takeOver]
//
// POSIX robust mutexes follow the same rule. Agent ids are never reused, so one agent's ownership is never mistaken for
// another's.

import { FLAG_OWNED, FLAGS, HEALTH } from '../kernel/layout.ts';
import { CONSISTENT, INHERITED, ORPHANED, UNRECOVERABLE } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';

/** The state that the owner of a lock needs about earlier owners. */
export class LockHealth {
  readonly #words: Words;
  readonly #word: number;

  /** `lock`: the address of the block that contains the word HEALTH. */
  constructor(words: Words, lock: number) {
    this.#words = words;
    this.#word = lock + HEALTH;
  }

  /** Call right after taking the lock. Returns the state found; on ORPHANED the caller has inherited the lock. */
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

  /** Passes the notice on to the next owner. */
  decline(): void {
    this.#words.store32(this.#word, ORPHANED);
  }

  /**
   * Call right after taking the lock, in any state. Returns whether the protected data must be repaired. If so, the
   * caller has inherited the lock.
   */
  takeOver(): boolean {
    if (this.#words.load32(this.#word) === CONSISTENT) return false;
    this.#words.store32(this.#word, INHERITED);
    return true;
  }

  /** Call before the lock is released, never after: another agent may own it by then. */
  beforeUnlock(): void {
    if (this.#words.load32(this.#word) === INHERITED) this.#words.store32(this.#word, UNRECOVERABLE);
  }
}

/** Whether the block at `address` is an owned lock, with a HEALTH word and an owner instead of holders. */
export function isOwnedLock(words: Words, address: number): boolean {
  return (words.get32(address + FLAGS) & FLAG_OWNED) !== 0;
}

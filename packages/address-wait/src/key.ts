// Maps a key to the bucket of the waiting array that holds its waiters.

import {
  asBucket,
  BUCKETS,
  BUCKET_SHIFT,
  checkInteger,
  HEADER_BUCKET_MASK,
  INSPECT,
  oneLine,
  refusePosting,
  wrongInstance,
  type BucketSpot,
} from '@sluice/core/internal';
import { placeOfWord, SharedWord } from './shared-word.ts';

/**
 * The key of a wait: a word, or one of many keys that belong to a word (`keyOf`). Different keys may share a bucket.
 * Then a signal to one key sometimes wakes the waiters of the other, which check their condition again.
 */
export type WaitKey = SharedWord | TicketKey;

/** One of the keys of a word. */
export class TicketKey {
  /** The word that the key belongs to. */
  readonly word: SharedWord;
  readonly ticket: number;

  constructor(word: SharedWord, ticket: number) {
    refusePosting(this);
    checkWord(word);
    this.word = word;
    this.ticket = checkInteger('ticket', ticket, 0, Number.MAX_SAFE_INTEGER);
  }

  [INSPECT](): string {
    return oneLine('TicketKey', () => ({ word: String(this.word), ticket: this.ticket }));
  }

  /** Returns the title, such as "ticket 7 of SharedWord 'turn'". */
  toString(): string {
    return `ticket ${this.ticket} of ${this.word.toString()}`;
  }
}

/**
 * Makes a key from a word and a number, such as a ticket. A signal then wakes the one waiter with that ticket instead
 * of all waiters of the word. Consecutive numbers map to different buckets.
 */
export function keyOf(word: SharedWord, ticket: number): TicketKey {
  return new TicketKey(word, ticket);
}

/**
 * Odd, so coprime with the power-of-two size: consecutive tickets visit every bucket before they repeat one (TWAHash).
 */
const TICKET_STRIDE = 17;

/**
 * Resolves a key for the calling agent. Throws `TypeError` for a value that is not a key. Throws `MisuseError` for a
 * word that was freed or that another copy of the package made.
 */
export function spotOf(key: WaitKey): BucketSpot {
  const [word, ticket] = key instanceof TicketKey ? [key.word, key.ticket] : [key, 0];
  if (!(word instanceof SharedWord))
    throw wrongInstance(
      'The key',
      'SharedWord',
      'sluice.shared-word',
      wordOfOther(key) ?? key,
      'SharedWord or what keyOf returned',
    );
  const { context, address, arena } = placeOfWord(word);
  const index =
    (mix32(address) + Math.imul((ticket % 2 ** 32) | 0, TICKET_STRIDE)) & context.words.get32(HEADER_BUCKET_MASK);
  return { context, bucket: asBucket(BUCKETS + (index << BUCKET_SHIFT)), policy: arena.policy };
}

/** Returns the word in a key of another copy of the package. Other objects may contain a word of this copy. */
function wordOfOther(key: unknown): object | undefined {
  const { word } = (key ?? {}) as { readonly word?: object };
  return word instanceof SharedWord ? undefined : word;
}

/** Describes an event at the key, or a missing one. The text is built only when it is used. */
export function told(key: WaitKey, what: string): { toString(): string } {
  return { toString: () => `${key.toString()}: ${what}` };
}

/** Checks the word of a call that waits on the word itself. Throws `TypeError`. */
export function checkWord(word: SharedWord): void {
  if (!(word instanceof SharedWord)) throw wrongInstance('The word', 'SharedWord', 'sluice.shared-word', word);
}

/** Spreads addresses, which differ in few bits (Mix32A of the paper). */
function mix32(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x9abe94e3);
  const twice = Math.imul(once ^ (once >>> 16), 0x9abe94e3);
  return twice ^ (twice >>> 16);
}

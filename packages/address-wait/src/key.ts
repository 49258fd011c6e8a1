// Maps a key to the bucket of the waiting array that holds its waiters.

import { asBucket, BUCKETS, BUCKET_SHIFT, HEADER_BUCKET_MASK, type BucketAddress } from '@sluice/core/format';
import { checkInteger, INSPECT, consoleText, refusePosting, wrongInstance } from '@sluice/core/calls';
import type { AgentContext, BucketSpot, BlockRef } from '@sluice/core/internal';
import { addressOfWord, bucketOfWord, SharedWord } from './shared-word.ts';

/**
 * The key of a wait: a word, or one of many keys that belong to a word (`keyOf`). Different keys may share a bucket.
 * Then a signal to one key sometimes wakes the waiters of the other, which check their condition again.
 */
export type WaitKey = SharedWord | TicketKey;

/**
 * Odd, so coprime with the power-of-two size: consecutive tickets visit every bucket before they repeat one (TWAHash).
 */
const TICKET_STRIDE = 17;

/** Returns the bucket of a ticket. Throws `MisuseError` if its word was freed. */
let bucketOfTicket: (key: TicketKey) => BucketSpot;

/** One of the keys of a word. */
export class TicketKey {
  /** The word that the key belongs to. */
  readonly word: SharedWord;
  readonly ticket: number;
  #spot: BucketSpot | undefined;

  constructor(word: SharedWord, ticket: number) {
    refusePosting(this);
    checkWord(word);
    this.word = word;
    this.ticket = checkInteger('ticket', ticket, 0, Number.MAX_SAFE_INTEGER);
  }

  [INSPECT](): string {
    return consoleText('TicketKey', () => ({ word: String(this.word), ticket: this.ticket }));
  }

  /** Returns the title, such as "ticket 7 of SharedWord 'turn'". */
  toString(): string {
    return `ticket ${this.ticket} of ${this.word.toString()}`;
  }

  static {
    bucketOfTicket = (key) => {
      const address = addressOfWord(key.word);
      if (key.#spot !== undefined) return key.#spot;
      const spot = bucketOfWord(key.word, spotOfWord);
      const hash = mix32(address) + Math.imul((key.ticket % 2 ** 32) | 0, TICKET_STRIDE);
      key.#spot = { ...spot, bucket: bucketOf(spot.context, hash) };
      return key.#spot;
    };
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
 * Resolves a key for the calling agent. Each word and each `TicketKey` keeps its bucket, so only its first use computes
 * the hash (Listing 5 has a cache of one entry for that). Throws `TypeError` for a value that is not a key. Throws
 * `MisuseError` for a word that was freed or that another copy of the package made.
 */
export function spotOf(key: WaitKey): BucketSpot {
  if (key instanceof SharedWord) return bucketOfWord(key, spotOfWord);
  if (key instanceof TicketKey && key.word instanceof SharedWord) return bucketOfTicket(key);
  throw wrongInstance(
    'The key',
    'SharedWord',
    'sluice.shared-word',
    wordOfOther(key) ?? key,
    'SharedWord or what keyOf returned',
  );
}

function spotOfWord({ context, arena }: BlockRef, address: number): BucketSpot {
  return { context, bucket: bucketOf(context, mix32(address)), policy: arena.policy };
}

/** Returns the bucket of a word that is not a key, by its address. */
export function bucketAt(context: AgentContext, address: number): BucketAddress {
  return bucketOf(context, mix32(address));
}

function bucketOf({ words }: AgentContext, hash: number): BucketAddress {
  return asBucket(BUCKETS + ((hash & words.get32(HEADER_BUCKET_MASK)) << BUCKET_SHIFT));
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

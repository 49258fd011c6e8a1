// One agent's line state at each primitive, beside the shared words, and the ledger entries in which the agent records
// what it holds.

import {
  AGENT_ENTRIES,
  ENTRY_HELD,
  ENTRY_OF_KIND,
  ENTRY_LINE,
  ENTRY_SINCE,
  ENTRY_STRIDE,
  ENTRY_TAG,
  HEADER_LEDGER_POOL,
  LEDGER_STRIDE,
} from '../kernel/layout.ts';
import type { LineSteps } from './kind.ts';
import { AsyncWaits } from './async-waits.ts';
import { isInUse } from '../memory/heap.ts';
import { Pool, type PoolClaimant } from '../memory/pool.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from '../kernel/addresses.ts';
import { asEntry } from '../kernel/addresses.ts';

/**
 * One agent's state at a primitive, beside the shared words. All of the agent's instances of the primitive share one.
 * `block` is the address of the primitive's line.
 *
 * Uncontended paths read `block`, `tag` and `entry` here, because V8 knows that these properties are small integers. A
 * private field starts as undefined, so V8 checks its type at each read.
 */
export interface LineState {
  readonly block: LineAddress;
  /** The primitive's tag for the kernel, or NO_TAG after this agent has left the arena. Uncontended paths read it. */
  tag: number;
  /** The ledger entry that records the permits that this agent holds, or 0 if they are not recorded. */
  readonly entry: EntryAddress;
  /** Async waits of this agent that have not settled yet. */
  readonly asyncWaits: AsyncWaits;
  /** Whether the async waits settle only in the order of their tickets. */
  readonly ordered: boolean;
  /** Whether the waits of each line settle in the order of their tickets. It matters only if `ordered` is `false`. */
  readonly orderedLines?: boolean;
  readonly timedChecks?: TimedChecks | undefined;
  /** The steps of the line's waiters. */
  readonly line: LineSteps;
}

/** The options of a new line state. */
export interface LineTraits {
  /** Whether a ledger entry records the permits that this agent holds. */
  readonly recorded: boolean;
  /** Default: `true`. */
  readonly ordered?: boolean | undefined;
  /** Default: `false`. */
  readonly orderedLines?: boolean | undefined;
  readonly timedChecks?: TimedChecks | undefined;
  /** Default: the steps of the core's semaphore. */
  readonly line?: LineSteps | undefined;
}

/** The checks of waiters that cannot rely on a wake-up: such a waiter wakes up after a time and checks the line. */
export interface TimedChecks {
  /** Returns how long, in ms, the waiter with that element may sleep at a time. `Infinity` means without a limit. */
  sleepMs(element: ElementAddress): number;
  /** Checks the line. The waiter calls it after it has slept that long. */
  check(element: ElementAddress): void;
  /**
   * Returns how long, in ms, a blocking waiter sleeps after a poll without a verdict, before it polls again. 0 means
   * that it does not sleep.
   */
  pauseMs(element: ElementAddress): number;
  /**
   * Whether a waiter needs the checks only after its admission. Until then it sleeps as a waiter at the core's
   * semaphore does.
   */
  readonly afterAdmission: boolean;
}

/** The agent that owns the ledger entries. */
export interface EntryOwner extends PoolClaimant {
  readonly agent: AgentAddress;
  /** The steps of waiters at the core's semaphore. */
  readonly semaphoreLine: LineSteps;
}

/** A tag that no block ever has. A kernel step that compares it returns SHUT. */
const NO_TAG = -(2 ** 31);
export class LineStates {
  readonly #context: EntryOwner;
  readonly #ledgers = new Pool(HEADER_LEDGER_POOL, LEDGER_STRIDE);
  readonly #freeEntries: EntryAddress[] = [];
  /** The line states by the address of their line. At most one living primitive has that address at a time. */
  readonly #all = new Map<LineAddress, LineState>();
  /** The number of line states at which those of freed primitives are dropped. */
  #enough = 64;

  constructor(context: EntryOwner) {
    this.#context = context;
  }

  /** Returns the agent's line state at a primitive. Throws `ArenaFullError`. */
  at(
    block: LineAddress,
    tag: number,
    { recorded, ordered = true, orderedLines = false, timedChecks, line = this.#context.semaphoreLine }: LineTraits,
  ): LineState {
    const known = this.#all.get(block);
    if (known?.tag === tag) return known;
    // The known state belongs to an earlier primitive at the same address.
    if (known !== undefined) this.#drop(known);
    if (this.#all.size >= this.#enough) this.#collect();
    const entry = recorded ? this.#openEntry(block, tag) : 0;
    const lineState: LineState = {
      block,
      tag,
      entry,
      asyncWaits: new AsyncWaits(),
      ordered,
      orderedLines,
      timedChecks,
      line,
    };
    this.#all.set(block, lineState);
    return lineState;
  }

  /** Returns the agent's entry of a primitive, or 0 if it has none. */
  entryOf(line: LineAddress, tag: number): EntryAddress {
    const known = this.#all.get(line);
    return known?.tag === tag ? known.entry : 0;
  }

  /** Makes all line states invalid, because the agent leaves the arena. */
  retire(): void {
    // A primitive that keeps kernel functions for its uncontended paths passes this tag to them. The functions then
    // return SHUT, and the primitive checks why.
    for (const lineState of this.#all.values()) lineState.tag = NO_TAG;
  }

  /** Makes sure that the next `count` line states, at most seven, find ledger entries. Throws `ArenaFullError`. */
  reserveEntry(count = 1): void {
    if (this.#freeEntries.length >= count) return;
    const ledger = this.#ledgers.claim(this.#context);
    for (let at = ENTRY_STRIDE; at < LEDGER_STRIDE; at += ENTRY_STRIDE) this.#freeEntries.push(asEntry(ledger + at));
  }

  #openEntry(block: LineAddress, tag: number): EntryAddress {
    const { words } = this.#context;
    this.reserveEntry();
    const entry = this.#freeEntries.pop() ?? 0;
    words.put64(entry + ENTRY_HELD, 0n);
    words.put64(entry + ENTRY_SINCE, 0n);
    words.put64(entry + ENTRY_OF_KIND, 0n);
    words.put32(entry + ENTRY_LINE, block);
    // Write the tag after the other words: an agent that reads an entry with a tag after this agent's death finds it
    // complete.
    words.put32(entry + ENTRY_TAG, tag);
    // Increase the count after the tag: an agent that has seen the count has the entry in its index (other-entries.ts).
    const count = this.#context.agent + AGENT_ENTRIES;
    words.store32(count, (words.get32(count) + 1) | 0);
    return entry;
  }

  #drop({ block, entry }: LineState): void {
    this.#all.delete(block);
    if (entry === 0) return;
    this.#context.words.put32(entry + ENTRY_TAG, 0);
    this.#freeEntries.push(entry);
  }

  /** Drops the line states of freed primitives. */
  #collect(): void {
    for (const lineState of this.#all.values())
      if (!isInUse(this.#context.words, lineState.block, lineState.tag)) this.#drop(lineState);
    // The next search runs at twice the remaining number, so that it stays rare with many living primitives.
    this.#enough = Math.max(64, 2 * this.#all.size);
  }
}

// What one agent knows of each primitive beside the shared words, and the ledger entries in which it records what it
// holds.

import {
  AGENT_ENTRIES,
  ENTRY_HELD,
  ENTRY_OF_KIND,
  ENTRY_SEM,
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
 * What an agent knows of a semaphore beside the shared words. All of the agent's instances share one. `block`: the
 * address of its line.
 *
 * Uncontended paths read `block`, `tag` and `entry` here. V8 knows that they are small integers; private fields of a
 * class, which start as undefined, are checked at each read.
 */
export interface LocalState {
  readonly block: LineAddress;
  /** The primitive's tag for the kernel, or NO_TAG once this agent has left the arena. Read on uncontended paths. */
  tag: number;
  /** Where the permits that this agent holds are recorded; 0 = nowhere. */
  readonly entry: EntryAddress;
  /** Async waits of this agent that have not settled yet. */
  readonly asyncWaits: AsyncWaits;
  /** Whether they settle only in the order of their tickets. */
  readonly ordered: boolean;
  /** Next to `ordered: false`: whether the waits in each of several lines do. */
  readonly orderedLines?: boolean;
  readonly patrol?: Patrol | undefined;
  /** The steps of its waiters. */
  readonly line: LineSteps;
}

/** How a local state is made. */
export interface LocalTraits {
  /** Whether a ledger entry records the permits that this agent holds. */
  readonly recorded: boolean;
  /** Default: `true`. */
  readonly ordered?: boolean | undefined;
  /** Default: `false`. */
  readonly orderedLines?: boolean | undefined;
  readonly patrol?: Patrol | undefined;
  /** Default: the steps of the core's semaphore. */
  readonly line?: LineSteps | undefined;
}

/** For waiters that cannot rely on being woken: they wake up after a time and look after the line. */
export interface Patrol {
  /** How long, in ms, the waiter with that element may sleep at a time. */
  nap(element: ElementAddress): number;
  /** Called when the waiter has slept that long. */
  look(element: ElementAddress): void;
  /**
   * After a look without a verdict: how long, in ms, a waiter that blocks sleeps before it looks again. 0: not at all.
   */
  rest(element: ElementAddress): number;
  /**
   * Whether a waiter needs the patrol only after it was admitted. Until then it sleeps as a waiter at the core's
   * semaphore does.
   */
  readonly afterAdmission: boolean;
}

/** The agent that has the entries. */
export interface EntryOwner extends PoolClaimant {
  readonly agent: AgentAddress;
  /** The steps of waiters at the core's semaphore. */
  readonly semaphoreLine: LineSteps;
}

/** A tag that no block ever has: a kernel step that compares it returns SHUT. */
const NO_TAG = -(2 ** 31);
export class LocalStates {
  readonly #context: EntryOwner;
  readonly #ledgers = new Pool(HEADER_LEDGER_POOL, LEDGER_STRIDE);
  readonly #freeEntries: EntryAddress[] = [];
  /** By the address of the line, at which there is one living primitive at a time. */
  readonly #all = new Map<LineAddress, LocalState>();
  /** How many are kept before those of freed semaphores are dropped. */
  #enough = 64;

  constructor(context: EntryOwner) {
    this.#context = context;
  }

  /** The agent's local state at a semaphore. Throws `ArenaFullError`. */
  at(
    block: LineAddress,
    tag: number,
    { recorded, ordered = true, orderedLines = false, patrol, line = this.#context.semaphoreLine }: LocalTraits,
  ): LocalState {
    const known = this.#all.get(block);
    if (known?.tag === tag) return known;
    // It belongs to an earlier primitive at the same address.
    if (known !== undefined) this.#drop(known);
    if (this.#all.size >= this.#enough) this.#collect();
    const entry = recorded ? this.#openEntry(block, tag) : 0;
    const localState: LocalState = {
      block,
      tag,
      entry,
      asyncWaits: new AsyncWaits(),
      ordered,
      orderedLines,
      patrol,
      line,
    };
    this.#all.set(block, localState);
    return localState;
  }

  /** The agent's entry of a primitive. 0: none. */
  entryOf(line: LineAddress, tag: number): EntryAddress {
    const known = this.#all.get(line);
    return known?.tag === tag ? known.entry : 0;
  }

  /** For an agent that leaves the arena. */
  retire(): void {
    // Primitives that keep kernel functions of their own, for their uncontended paths, pass this tag. SHUT then leads
    // them to a check.
    for (const localState of this.#all.values()) localState.tag = NO_TAG;
  }

  /** Makes sure that the next local states, at most seven, find entries. Throws `ArenaFullError`. */
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
    words.put32(entry + ENTRY_SEM, block);
    // Last: an entry with a tag is complete for an agent that reads it after this agent's death.
    words.put32(entry + ENTRY_TAG, tag);
    // After the tag: an agent that has seen the count has the entry in its index (other-entries.ts).
    const count = this.#context.agent + AGENT_ENTRIES;
    words.store32(count, (words.get32(count) + 1) | 0);
    return entry;
  }

  #drop({ block, entry }: LocalState): void {
    this.#all.delete(block);
    if (entry === 0) return;
    this.#context.words.put32(entry + ENTRY_TAG, 0);
    this.#freeEntries.push(entry);
  }

  /** Drops those of freed semaphores. */
  #collect(): void {
    for (const localState of this.#all.values())
      if (!isInUse(this.#context.words, localState.block, localState.tag)) this.#drop(localState);
    // Twice what is left: with many living semaphores the search stays rare.
    this.#enough = Math.max(64, 2 * this.#all.size);
  }
}

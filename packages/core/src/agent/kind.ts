// What the arena has to know of a kind of primitive: its kernel, the steps of its waiters, and its part of recovery and
// of reports. docs/new-primitive.md shows how a package writes one.

import type { Gatherer } from './compaction.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from '../kernel/addresses.ts';
import type { Kernel, KernelSource } from '../kernel/kernel.ts';
import { LAST_BASE_KIND } from '../kernel/layout.ts';
import type { Cancel, HandOver, Look, Park, Walk } from '../kernel/states.ts';

/** The steps of a wait that differ from kind to kind. The core's semaphore has its own. */
export interface LineSteps {
  /**
   * Checks once. TAKEN, SHUT: the wait is over, the element is the caller's. WAITING: neither. A kind may cancel the
   * wait: then results as of `leaveLine`.
   */
  poll(element: ElementAddress, entry: EntryAddress): Look;
  /**
   * LINKED to PARKED; the core's step also from QUEUED. LINKED: done. Any other result is the gate that was found, or
   * as of the core's `park`.
   */
  park(element: ElementAddress, agent: AgentAddress): Park;
  /**
   * Cancels the wait. WAITING: still in line, the base's `leaveLine` follows. Other results as of the base's `leave`.
   * `dead` 0: the caller's own. 1: a dead agent's, on its record.
   */
  cancel(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: number): Cancel;
}

/** A kind's part of the recovery of a dead agent, on that agent's record. */
export interface RecoverySteps {
  /**
   * Whether `cancel` notes a grant to a dead agent in the ledger entry of the line. Otherwise it passes the grant on.
   */
  readonly notesGrants?: boolean;
  /** Releases what a ledger entry says that the agent holds. Returns the number of permits, or RACED: call again. */
  restore?(record: AgentAddress, entry: EntryAddress): number;
  /** Whether `restore` releases one permit at each call. Then the report names what the entry held. */
  readonly restoresOneByOne?: boolean;
  /**
   * Passes on a lock that the agent owns according to its word OFFICE. RACED: call again. A positive result may be an
   * element to notify.
   */
  releaseForDeadOwner?(record: AgentAddress, line: LineAddress): HandOver | ElementAddress;
  /** The list of a `ReclaimReport` that names a primitive whose owner died. Default: 'locksOrphaned'. */
  readonly deadOwnerIn?: 'locksOrphaned' | 'buffersInterrupted';
  /**
   * Does the next part of what a step left with AGENT_DUTY_KIND in the record of a living or a dead agent, and clears
   * that word before the last part. IDLE, AGAIN, or an element to notify. The base's walk runs first, and again after
   * each part.
   */
  walk?(record: AgentAddress): Walk;
}

/** What a kind does for the memory of its lines. */
export interface CompactingSteps {
  /**
   * Merges the tombstones that hang in the lines' own chains (agent/compaction.ts). Returns the number of elements and
   * blocks that it visited. Only while the agent has nothing in flight.
   */
  compact?(): number;
}

/** An agent that loads a kind, as far as the kind's steps know it. */
export interface KindAgent extends Gatherer {
  load<Steps extends object>(kind: Kind<Steps>): LoadedKind<Steps>;
}

/** One kind of primitive. `Steps`: what its kernel exports. */
export interface Kind<Steps extends object> {
  /** The `kind` of its handles. */
  readonly name: string;
  /**
   * BLOCK_KIND of its blocks, and of further lines of a block at which agents wait or hold permits: from `kindCode`.
   */
  readonly code: number;
  readonly kernel: KernelSource<Steps>;
  /** What reports call such a primitive, for example 'lock'. */
  readonly title: string;
  /** For an agent that opens the first primitive of the kind. */
  readonly steps: (kernel: Kernel & Steps, agent: KindAgent) => KindSteps;
}

export type KindSteps = LineSteps & RecoverySteps & CompactingSteps;

/** What an agent has of a kind. */
export interface LoadedKind<Steps extends object = object> {
  readonly kind: Kind<Steps>;
  readonly kernel: Kernel & Steps;
  readonly steps: KindSteps;
}

const LETTER_BITS = 6;
const FIRST_LETTER = 96;

/**
 * The BLOCK_KIND of a kind with that short name: two to five lower-case letters, six bits each. So an agent that has
 * not loaded the kind can still name it.
 */
export function kindCode(name: string): number {
  return Array.from(name).reduce((code, letter) => (code << LETTER_BITS) | (letter.charCodeAt(0) - FIRST_LETTER), 0);
}

/** The short name in a code. */
export function kindText(code: number): string {
  const letter = String.fromCharCode((code & ((1 << LETTER_BITS) - 1)) + FIRST_LETTER);
  return code <= LAST_BASE_KIND ? letter : kindText(code >> LETTER_BITS) + letter;
}

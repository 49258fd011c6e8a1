// The description of a kind of primitive: its kernel, the steps of its waiters, and its part of recovery and of
// reports. docs/new-primitive.md shows how a package writes one.

import type { Gatherer } from './compaction.ts';
import type { AgentAddress, ElementAddress, EntryAddress, LineAddress } from '../kernel/addresses.ts';
import type { Kernel, KernelSource } from '../kernel/kernel.ts';
import { LAST_BASE_KIND } from '../kernel/layout.ts';
import type { Cancel, HandOver, PollResult, Park, Walk } from '../kernel/states.ts';

/** The steps of a wait that differ from kind to kind. The core's semaphore has its own. */
export interface LineSteps {
  /**
   * Checks the wait once. Returns TAKEN or SHUT if the wait is over; then the element is the caller's again. Returns
   * WAITING if the wait is not over. A kind may cancel the wait in this step; then it returns a result of `leaveLine`.
   */
  poll(element: ElementAddress, entry: EntryAddress): PollResult;
  /**
   * Changes the gate from LINKED to PARKED; the core's step also from QUEUED. Returns LINKED if the gate is now PARKED.
   * Any other result is the gate that was found, or a result of the core's `park`.
   */
  park(element: ElementAddress, agent: AgentAddress): Park;
  /**
   * Cancels the wait. Returns WAITING if the ticket is still in line; then the core's `leaveLine` must follow. Other
   * results are those of the core's `cancelWait`. `dead` is 0 for the caller's own wait, and 1 for a dead agent's wait, on
   * that agent's record.
   */
  cancel(agent: AgentAddress, element: ElementAddress, entry: EntryAddress, dead: number): Cancel;
}

/** A kind's part of the recovery of a dead agent. The steps work on the dead agent's record. */
export interface RecoverySteps {
  /**
   * Whether `cancel` records a grant to a dead agent in the ledger entry of the line. Otherwise it passes the grant on.
   */
  readonly notesGrants?: boolean;
  /**
   * Releases the permits that the agent holds according to a ledger entry. Returns their number, or RACED if it lost a
   * race: call again.
   */
  restore?(record: AgentAddress, entry: EntryAddress): number;
  /** Whether each call of `restore` releases one permit. Then the report names what the entry held. */
  readonly restoresOneByOne?: boolean;
  /**
   * Passes on a lock that the agent owns according to its word OFFICE. Returns RACED if it lost a race: call again. A
   * positive result may be an element to notify.
   */
  releaseForDeadOwner?(record: AgentAddress, line: LineAddress): HandOver | ElementAddress;
  /** The list of a `ReclaimReport` that receives a primitive whose owner died. Default: 'locksOrphaned'. */
  readonly deadOwnerIn?: 'locksOrphaned' | 'buffersInterrupted';
  /**
   * Does the next part of the work that a step left with AGENT_DUTY_KIND in the record of a living or a dead agent.
   * Clears that word before the last part. Returns IDLE, AGAIN, or an element to notify. The core's walk runs first,
   * and again after each part.
   */
  walk?(record: AgentAddress): Walk;
}

/** The step by which a kind saves memory in its lines. */
export interface CompactingSteps {
  /**
   * Merges the tombstones that hang in the lines' own chains (agent/compaction.ts). Returns the number of visited
   * elements and blocks. The agent calls it only while it has nothing in flight.
   */
  compact?(): number;
}

/** The part of an agent that a kind's steps use. */
export interface KindAgent extends Gatherer {
  load<Steps extends object>(kind: Kind<Steps>): LoadedKind<Steps>;
}

/** For reports: the action that ends a wait at which no agent holds anything, such as a push that waits for room. */
export interface WaitEnd {
  /** What the waiters wait for, such as 'room'. '': the primitive itself, such as a barrier. */
  readonly what: string;
  /** What the agents do that end the wait, such as 'takes from'. */
  readonly verb: string;
  /** The lines of the block that list these agents, by their numbers. An agent is in a list once it has waited there. */
  readonly lines: readonly number[];
}

/** One kind of primitive. `Steps` is the type of its kernel's exports. */
export interface Kind<Steps extends object> {
  /** The `kind` of its handles. */
  readonly name: string;
  /**
   * The BLOCK_KIND of its blocks, from `kindCode`. Further lines of a block at which agents wait or hold permits have
   * the same code.
   */
  readonly code: number;
  readonly kernel: KernelSource<Steps>;
  /** The word for such a primitive in reports, for example 'lock'. */
  readonly title: string;
  /**
   * For a lock in turns that agents also share: given the halves of OFFICE, whether the waiter that has a permit still
   * competes for the lock. Otherwise the lock is on its way to that waiter. The waiters' line has this kind.
   */
  readonly competes?: (low: number, high: number) => boolean;
  /**
   * What ends a wait in the line of a block with that number. Default: a release by the agents that hold what is waited
   * for.
   */
  readonly endedBy?: (line: number) => WaitEnd | undefined;
  /** Makes the kind's steps when an agent opens its first primitive of the kind. */
  readonly steps: (kernel: Kernel & Steps, agent: KindAgent) => KindSteps;
}

export type KindSteps = LineSteps & RecoverySteps & CompactingSteps;

/** A kind that an agent has loaded. */
export interface LoadedKind<Steps extends object = object> {
  readonly kind: Kind<Steps>;
  readonly kernel: Kernel & Steps;
  readonly steps: KindSteps;
}

const LETTER_BITS = 6;
const FIRST_LETTER = 96;

/**
 * Returns the BLOCK_KIND of a kind with that short name: two to five lower-case letters, six bits each. So an agent
 * that has not loaded the kind can still name it.
 */
export function kindCode(name: string): number {
  return Array.from(name).reduce((code, letter) => (code << LETTER_BITS) | (letter.charCodeAt(0) - FIRST_LETTER), 0);
}

/** Returns the short name in a code. */
export function kindText(code: number): string {
  const letter = String.fromCharCode((code & ((1 << LETTER_BITS) - 1)) + FIRST_LETTER);
  return code <= LAST_BASE_KIND ? letter : kindText(code >> LETTER_BITS) + letter;
}

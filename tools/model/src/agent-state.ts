// The state of one agent at a scheduling point.

import type { Operation } from './operation.ts';
import type { Watch } from './watch.ts';

/** The agent has an operation to perform. */
export const READY = 0;
/** The agent is at a choice that concerns no other agent. */
export const BRANCHING = 1;
export const ASLEEP = 2;
export const RETURNED = 3;
export const KILLED = 4;

/**
 * The state of an agent. A new object replaces it and no code changes it, so the search keeps old states by reference.
 */
export interface AgentState {
  readonly status: number;
  /** The number of entries of the log that count. */
  readonly length: number;
  readonly operation: Operation;
  readonly watch: Watch | undefined;
  readonly outcome: unknown;
}

// The state of one agent at a scheduling point.

import type { Operation } from './operation.ts';
import type { Watch } from './watch.ts';

/** It has an operation to do. */
export const READY = 0;
/** It is at a choice that concerns no other agent. */
export const BRANCHING = 1;
export const ASLEEP = 2;
export const RETURNED = 3;
export const KILLED = 4;

/** Replaced, never changed, so the search keeps old states by reference. */
export interface AgentState {
  readonly status: number;
  /** How much of the log counts. */
  readonly length: number;
  readonly operation: Operation;
  readonly watch: Watch | undefined;
  readonly outcome: unknown;
}

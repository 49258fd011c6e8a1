// The location of a primitive, as this agent sees it.

import type { AgentContext } from '../agent/agent-context.ts';
import type { BlockAddress } from '../kernel/addresses.ts';
import type { Arena } from './arena.ts';

/** The location of a primitive. An instance needs nothing else. */
export interface BlockRef {
  readonly arena: Arena;
  readonly context: AgentContext;
  readonly address: BlockAddress;
  readonly tag: number;
  /** The name from `create`, for messages about the primitive after it is freed. */
  readonly name?: string | undefined;
  /** Whether this agent has created it. */
  readonly isNew?: boolean | undefined;
}

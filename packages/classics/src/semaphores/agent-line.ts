// The position of a semaphore's line.

import type { WaitingPolicy } from '@sluice/core';
import type { LineAddress } from '@sluice/core/format';
import type { AgentContext } from '@sluice/core/internal';

/** A line, for one agent. `sem` is the address of its words. */
export interface AgentLine {
  readonly context: AgentContext;
  readonly policy: WaitingPolicy;
  readonly line: LineAddress;
}

// What the agents of one model share besides its memory.

import type { Memory } from './memory.ts';
import type { Sharing } from './sharing.ts';
import type { Trace } from './trace.ts';
import type { FailureKind } from './types.ts';

export interface Session {
  readonly memory: Memory;
  readonly sharing: Sharing;
  /** Where the scenario's own memory ends; behind it each agent has a word that tells its fate. */
  readonly bytes: number;
  readonly fates: number;
  readonly scheduleLocal: boolean;
  deathsLeft: number;
  /** Present while a failing schedule is performed again to be written down. */
  trace: Trace | undefined;
  failure: { kind: FailureKind; message: string } | undefined;
}

// The step that closes a buffer. Words and invariants: sides.ts.

import type { AgentAddress, HandOver, LineAddress } from '@sluice/core/format';
import { exitSide } from './exit.ts';
import { shutBoth } from './shut-lines.ts';

/**
 * Closes the buffer. The caller owns the producers' lock and leaves, so no value follows. Run the walk.
 *
 * @takes The tags of both semaphores to their negatives (a repeated call repeats this). Then as `commitSide`
 * @leaves `AGENT_SWEEP`: all buckets; then as `commitSide`
 * @death Walk
 */
export function closeSides(producers: LineAddress, agent: AgentAddress): HandOver {
  shutBoth(producers, agent);
  return exitSide(producers, agent);
}

// The deeds of an agent between two scheduling points.

import type { Answer } from './log.ts';
import type { Value } from './operation.ts';

/** An operation that is no scheduling point: an operation on the agent's own words, a step, or the end of a round. */
export interface Deed {
  readonly kind: number;
  readonly address: number;
  readonly first: Value;
  readonly second: Value;
  readonly answer: Answer | undefined;
  readonly summary: readonly number[];
}

// The options of a limit that sheds calls, and their checks.

import { checkInteger, MAX_PERMITS, show } from '@sluice/core/calls';

export interface SheddingOptions {
  /**
   * The maximum of waiting calls, over all agents: 0 or more. A call beyond it rejects with `OverloadedError`, or takes
   * the place of another one (`shed`). Default: `Infinity`.
   */
  readonly maxWaiting?: number | undefined;
  /**
   * The call that rejects when too many wait. `'newest'`: the one that arrives. `'oldest'`: the
   * longest-waiting call among this agent's calls of the lowest priority. If all of them have a higher priority than the
   * new call, the new call rejects. Default: `'newest'`.
   */
  readonly shed?: 'newest' | 'oldest' | undefined;
}

export interface SheddingTerms {
  readonly maxWaiting: number;
  readonly isOldest: boolean;
}

export const SHEDDING_OPTIONS: readonly (keyof SheddingOptions)[] = ['maxWaiting', 'shed'];

/** Returns the checked options, or `undefined` if any number of calls may wait. Throws `TypeError`, `RangeError`. */
export function checkShedding({
  maxWaiting = Infinity,
  shed,
}: { readonly [Name in keyof SheddingOptions]?: unknown }): SheddingTerms | undefined {
  if (shed !== undefined && shed !== 'newest' && shed !== 'oldest')
    throw new TypeError(`shed must be 'newest' or 'oldest': received ${show(shed)}`);
  if (maxWaiting !== Infinity)
    return { maxWaiting: checkInteger('maxWaiting', maxWaiting, 0, MAX_PERMITS), isOldest: shed === 'oldest' };
  if (shed !== undefined) throw new TypeError('shed has no effect without maxWaiting: add maxWaiting');
  return undefined;
}

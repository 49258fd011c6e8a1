// Checks whether a history of a bounded queue is linearizable, first with the rules, then with the search.

import { describe, type Operation, type QueueSpec } from './history.ts';
import { planOf } from './plan.ts';
import { brokenRule } from './rules.ts';
import { search } from './search.ts';
import { readHistory } from './steps.ts';

export interface CheckOptions {
  /** The number of configurations after which the search gives up without a result. Default: a million. */
  readonly most?: number;
  /** Whether the rules are applied. Without them the search alone decides, which allows a comparison of both. */
  readonly rules?: boolean;
}

export interface Verdict {
  /** `undefined` if the search gave up. */
  readonly linearizable: boolean | undefined;
  /** The reason why the history is not linearizable. */
  readonly reason?: string;
  readonly operations: number;
  readonly configurations: number;
  /**
   * `checked` counts refusals that had to find the queue full or empty. `excused` counts refusals that prove nothing,
   * because another call of the same side was in progress.
   */
  readonly refusals: { readonly checked: number; readonly excused: number };
}

const MAX_CONFIGURATIONS = 1_000_000;

export function checkHistory(operations: readonly Operation[], spec: QueueSpec, options: CheckOptions = {}): Verdict {
  const { most = MAX_CONFIGURATIONS, rules = true } = options;
  const history = readHistory(operations, spec);
  const nothing = { operations: operations.length, configurations: 0, refusals: { checked: 0, excused: 0 } };
  if (typeof history === 'string') return { ...nothing, linearizable: false, reason: history };
  const counts = { ...nothing, refusals: { checked: history.refusals.length, excused: history.excused } };
  const reason = rules ? brokenRule(history) : undefined;
  if (reason !== undefined) return { ...counts, linearizable: false, reason };
  const { found, configurations, stuckAt } = search(planOf(history), most);
  const verdict = { ...counts, configurations, linearizable: found };
  if (found === true) return verdict;
  const where = stuckAt === undefined ? 'nowhere' : describe(stuckAt.operation);
  return { ...verdict, reason: found === false ? `no order explains ${where}` : `given up, at most got to ${where}` };
}

// The options of an adaptive limit, and their checks.

import { checkInteger, checkOptions, MAX_PERMITS, show } from '@sluice/core/calls';
import type { IntervalOptions } from '../api/interval-options.ts';
import type { LimitOptions } from '../api/options.ts';
import type { AdaptiveTerms } from './estimate.ts';

/** How a limit finds its size. */
export interface AdaptiveOptions {
  /** The minimum of functions that may run at a time, over all agents. Default: 1. */
  readonly min?: number | undefined;
  /** The maximum of functions that may run at a time, over all agents. */
  readonly max: number;
  /** The size at which the limit starts. Default: `min`. */
  readonly initial?: number | undefined;
  /**
   * What the size is found by. `'latency'`: the limit grows while its calls take no longer than without load, and
   * shrinks when they do. Default: `'latency'`.
   */
  readonly target?: 'latency' | undefined;
  /**
   * The highest latency that is not yet too much, as a multiple of the latency without load: more than 1, at most 10.
   * Default: 1.5.
   */
  readonly tolerance?: number | undefined;
}

export interface AdaptiveLimitOptions extends Omit<LimitOptions, 'concurrency'>, Partial<IntervalOptions> {
  readonly adaptive: AdaptiveOptions;
  /**
   * Whether an error of a function says that the server is overloaded. Then the limit shrinks. Other errors have no
   * effect on its size. Default: for an error whose name is `TimeoutError`, or whose code is `SLUICE_OVERLOADED`.
   */
  readonly isOverload?: ((error: unknown) => boolean) | undefined;
}

export interface AdaptivePlan extends AdaptiveTerms {
  readonly initial: number;
}

export const ADAPTIVE_LIMIT_OPTIONS: readonly string[] = ['adaptive', 'isOverload'];
const ADAPTIVE_OPTIONS: readonly string[] = [
  'min',
  'max',
  'initial',
  'target',
  'tolerance',
] satisfies (keyof AdaptiveOptions)[];
/** With one slot more, the number would count as `Infinity`. */
const MOST = MAX_PERMITS - 1;
const DEFAULT_TOLERANCE = 1.5;
const LARGEST_TOLERANCE = 10;

/** Throws `TypeError`, `RangeError`. */
export function checkAdaptive(adaptive: unknown): AdaptivePlan {
  checkOptions(adaptive, ADAPTIVE_OPTIONS);
  const given = adaptive as { readonly [Name in keyof AdaptiveOptions]?: unknown };
  const { target = 'latency', tolerance = DEFAULT_TOLERANCE } = given;
  const min = checkInteger('adaptive.min', given.min ?? 1, 1, MOST);
  const max = checkInteger('adaptive.max', given.max, min, MOST);
  const initial = checkInteger('adaptive.initial', given.initial ?? min, min, max);
  if (target !== 'latency') throw new TypeError(`adaptive.target must be 'latency': received ${show(target)}`);
  if (typeof tolerance !== 'number' || !(tolerance > 1 && tolerance <= LARGEST_TOLERANCE))
    throw new TypeError(
      `adaptive.tolerance must be a number above 1, at most ${LARGEST_TOLERANCE}: received ${show(tolerance)}`,
    );
  return { min, max, initial, tolerance };
}

/** Throws `TypeError`. */
export function checkIsOverload(isOverload: unknown): ((error: unknown) => boolean) | undefined {
  if (isOverload !== undefined && typeof isOverload !== 'function')
    throw new TypeError(`isOverload must be a function: received ${show(isOverload)}`);
  return isOverload as ((error: unknown) => boolean) | undefined;
}

/** The default of `isOverload`. */
export function saysOverloaded(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code } = error as { readonly name?: unknown; readonly code?: unknown };
  return name === 'TimeoutError' || code === 'SLUICE_OVERLOADED';
}

// Creates and opens limits that find their size or shed calls.

import { checkOptions, type Clock } from '@sluice/core/calls';
import {
  ADAPTIVE_LIMIT_OPTIONS,
  checkAdaptive,
  checkIsOverload,
  type AdaptiveLimitOptions,
} from '../adaptive/options.ts';
import type { LimitHandle } from '../api/handle.ts';
import { checkSize, checkTerms, hasInterval, type IntervalLimitOptions } from '../api/interval-options.ts';
import { openParts } from '../interval/interval-parts.ts';
import { IntervalSlots } from '../interval/interval-slots.ts';
import { limitOver, type Limit } from '../calls/limit.ts';
import { sizedParts } from '../slots/open.ts';
import {
  ATTACH_OPTIONS,
  checkConcurrency,
  checkRejectOnClear,
  type AttachOptions,
  type LimitOptions,
} from '../api/options.ts';
import { checkShedding, SHEDDING_OPTIONS } from '../api/shedding-options.ts';
import { SizedSlots } from '../slots/sized-slots.ts';
import { ControlledCalls } from './controlled-calls.ts';
import { ControlledIntervalCalls } from './controlled-interval-calls.ts';
import { Control } from './control.ts';
import { ControlledSlots } from './controlled-slots.ts';

/** The options of all limits, not checked. */
type Given = Partial<AdaptiveLimitOptions & IntervalLimitOptions>;
type OwnOptions = Pick<AttachOptions, 'rejectOnClear' | 'isOverload'>;

/** Whether a limit with these options needs more than slots. */
export function needsControl(options: object): boolean {
  const given = options as Readonly<Record<string, unknown>>;
  return [...ADAPTIVE_LIMIT_OPTIONS, ...SHEDDING_OPTIONS].some((name) => given[name] !== undefined);
}

/** Throws as `createLimit` does. */
export function createControlledLimit(
  options: AdaptiveLimitOptions | IntervalLimitOptions | LimitOptions,
  clock: Clock,
): Limit {
  const given: Given = options;
  const adaptive = given.adaptive === undefined ? undefined : checkAdaptive(given.adaptive);
  if (adaptive !== undefined && given.concurrency !== undefined)
    throw new TypeError(
      'An adaptive limit finds its concurrency itself: leave out concurrency, or start with adaptive.initial',
    );
  const shedding = checkShedding(given);
  const own = checkOwn(given, adaptive !== undefined);
  const terms = hasInterval(given) ? checkTerms(given) : undefined;
  const size =
    adaptive?.initial ?? (terms === undefined ? checkConcurrency(given.concurrency) : checkSize(given.concurrency));
  const slots =
    terms === undefined
      ? SizedSlots.create(size, given.arena, given.name)
      : IntervalSlots.createIntervalLimit(size, terms, given.arena, given.name, clock);
  try {
    return limitWith(slots, Control.create({ adaptive, shedding }, slots), own, clock);
  } catch (failure) {
    slots.free();
    throw failure;
  }
}

/** Throws as `createLimit.from` does. */
export function openControlledLimit(handle: LimitHandle, options: AttachOptions, clock: Clock): Limit {
  checkOptions(options, [...ATTACH_OPTIONS, 'isOverload']);
  const slots = 'interval' in handle ? openIntervalSlots(handle, clock) : openSizedSlots(handle);
  const control = Control.from(handle.control, slots);
  return limitWith(slots, control, checkOwn(options, control.lock !== undefined), clock);
}

function openSizedSlots(handle: LimitHandle): SizedSlots {
  const { semaphore, word } = sizedParts(handle);
  return new SizedSlots(semaphore, word);
}

function openIntervalSlots(handle: LimitHandle, clock: Clock): IntervalSlots {
  const { semaphore, word, parts } = openParts(handle, clock);
  return new IntervalSlots(semaphore, word, parts);
}

/** Checks the options that each agent chooses for itself. */
function checkOwn(options: AttachOptions, isAdaptive: boolean): OwnOptions {
  const isOverload = checkIsOverload(options.isOverload);
  if (isOverload !== undefined && !isAdaptive)
    throw new TypeError('isOverload has no effect on a limit that is not adaptive: leave it out');
  return { rejectOnClear: checkRejectOnClear(options), isOverload };
}

function limitWith(
  slots: SizedSlots,
  control: Control,
  { rejectOnClear, isOverload }: OwnOptions,
  clock: Clock,
): Limit {
  const tuner = control.tuner(slots, clock, isOverload);
  const waitingPlaces = control.waitingPlaces(slots);
  const calls =
    slots instanceof IntervalSlots
      ? new ControlledIntervalCalls(slots, tuner, waitingPlaces)
      : new ControlledCalls(slots, tuner, waitingPlaces);
  return limitOver(new ControlledSlots(slots, control, tuner), rejectOnClear === true, calls);
}

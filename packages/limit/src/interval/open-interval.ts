// Creates and opens limits that also bound how many calls start in an interval.

import { checkOptions, type Clock } from '@sluice/core/calls';
import type { LimitHandle } from '../api/handle.ts';
import { checkSize, checkTerms, type IntervalLimitOptions } from '../api/interval-options.ts';
import { openParts } from './interval-parts.ts';
import { limitOver, type Limit } from '../calls/limit.ts';
import { ATTACH_OPTIONS, checkRejectOnClear, type AttachOptions } from '../api/options.ts';
import { IntervalCalls } from './interval-calls.ts';
import { IntervalSlots } from './interval-slots.ts';

export function createIntervalLimit(options: IntervalLimitOptions, clock: Clock): Limit {
  const terms = checkTerms(options);
  const size = checkSize(options.concurrency);
  const rejectOnClear = checkRejectOnClear(options);
  return limitOverInterval(
    IntervalSlots.createIntervalLimit(size, terms, options.arena, options.name, clock),
    rejectOnClear,
  );
}

export function openIntervalLimit(handle: LimitHandle, options: AttachOptions, clock: Clock): Limit {
  checkOptions(options, ATTACH_OPTIONS);
  const rejectOnClear = checkRejectOnClear(options);
  const { semaphore, word, parts } = openParts(handle, clock);
  return limitOverInterval(new IntervalSlots(semaphore, word, parts), rejectOnClear);
}

function limitOverInterval(slots: IntervalSlots, rejectOnClear: boolean): Limit {
  return limitOver(slots, rejectOnClear, new IntervalCalls(slots));
}

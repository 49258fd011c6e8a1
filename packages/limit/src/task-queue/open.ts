// Creates and opens the parts of a task queue.

import type { Arena } from '@sluice/core';
import { threadClock } from '@sluice/core/calls';
import type { LimitHandle } from '../api/handle.ts';
import { checkHandle } from '../api/handle.ts';
import { openParts } from '../interval/interval-parts.ts';
import { IntervalSlots } from '../interval/interval-slots.ts';
import { sizedParts } from '../slots/open.ts';
import { SizedSlots } from '../slots/sized-slots.ts';
import { checkTaskQueueHandle, foreignTo } from './handle.ts';
import { slotSourceOver } from './slot-source.ts';
import type { TaskQueuePlan } from './options.ts';
import { SharedState } from './shared-state.ts';
import { tasksAt, type Tasks } from './tasks.ts';

const CLASS_NAME = 'TaskQueue';

/** Throws `RangeError`, `ArenaFullError`. Then nothing stays allocated. */
export function createTasks(
  { permits, terms, isPaused }: TaskQueuePlan,
  arena: Arena | undefined,
  name: string | undefined,
  clock = threadClock(),
): Tasks {
  const slots =
    terms === undefined
      ? SizedSlots.create(permits, arena, name, CLASS_NAME)
      : IntervalSlots.createIntervalLimit(permits, terms, arena, name, clock, CLASS_NAME);
  try {
    const state = SharedState.create(slots.ref.arena, isPaused);
    return tasksAt(slots, () => ({ slotSource: slotSourceOver(slots), state }));
  } catch (failure) {
    slots.free();
    throw failure;
  }
}

/** Throws `HandleError`, and `ArenaFullError` if no record is left for this agent. */
export function openTasks(handle: unknown, clock = threadClock()): Tasks {
  const { limit, bell, paused } = checkTaskQueueHandle(handle);
  const slots = slotsOf(limit, clock);
  const state = SharedState.from(bell, paused, slots.ref.arena);
  return tasksAt(slots, () => ({ slotSource: slotSourceOver(slots), state }));
}

function slotsOf(limit: unknown, clock: () => number): SizedSlots {
  const given = checkHandle(limit);
  if (!('size' in given)) throw foreignTo('its limit has no size');
  if ('interval' in given) {
    const { semaphore, word, parts } = openParts(limit as LimitHandle, clock);
    return new IntervalSlots(semaphore, word, parts, undefined, undefined, CLASS_NAME);
  }
  const { semaphore, word } = sizedParts(given);
  return new SizedSlots(semaphore, word, undefined, CLASS_NAME);
}

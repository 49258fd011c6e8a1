// The handle of a task queue.

import { HandleError, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { show } from '@sluice/core/calls';
import type { LimitHandle } from '../api/handle.ts';

/** The handle to post to another thread. Pass it to `TaskQueue.from` there. */
export interface TaskQueueHandle {
  readonly kind: 'sluice.task-queue';
  readonly limit: LimitHandle;
  readonly bell: SemaphoreHandle;
  readonly paused: RegionHandle;
}

export type UncheckedTaskQueueHandle = { readonly [Key in keyof TaskQueueHandle]?: unknown };

export function checkTaskQueueHandle(handle: unknown): UncheckedTaskQueueHandle {
  if (typeof handle !== 'object' || handle === null) throw foreignTo(`received ${show(handle)}`);
  const { kind } = handle as { readonly kind?: unknown };
  if (kind !== 'sluice.task-queue') throw foreignTo(`received kind ${show(kind)}`);
  return handle;
}

export function foreignTo(what: string): HandleError {
  return new HandleError(`Not a handle of kind sluice.task-queue: ${what}.`);
}

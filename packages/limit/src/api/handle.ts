// The handle of a limit.

import { HandleError, type RegionHandle, type SemaphoreHandle } from '@sluice/core';
import { show } from '@sluice/core/calls';

/** The handle to post to another thread. Pass it to `createLimit.from` there. */
export interface LimitHandle {
  readonly kind: 'sluice.limit';
  readonly slots: SemaphoreHandle;
  /** Present if the concurrency of the limit can be set. */
  readonly size?: RegionHandle;
  /** Present if the limit has an interval. */
  readonly interval?: IntervalHandle;
  /** Present if the limit finds its size or sheds calls. */
  readonly control?: ControlHandle;
}

/** The parts of a limit that finds its size or sheds calls. */
export interface ControlHandle {
  readonly words: RegionHandle;
  /** Present if the limit is adaptive. */
  readonly lock?: SemaphoreHandle;
  /** Present if the limit sheds calls. */
  readonly places?: SemaphoreHandle;
}

/** The parts of a limit that count its starts in an interval. */
export interface IntervalHandle {
  readonly line: SemaphoreHandle;
  readonly alarm: SemaphoreHandle;
  readonly count: RegionHandle;
}

export type UncheckedHandle = { readonly [Key in keyof LimitHandle]?: unknown };

export function checkHandle(handle: unknown): UncheckedHandle {
  if (typeof handle === 'function') throw foreign('received a function: of a limit pass its `handle`');
  if (typeof handle !== 'object' || handle === null) throw foreign(`received ${show(handle)}`);
  const { kind } = handle as { readonly kind?: unknown };
  if (kind !== 'sluice.limit') throw foreign(`received kind ${show(kind)}`);
  return handle;
}

export function foreign(what: string): HandleError {
  return new HandleError(`Not a handle of kind sluice.limit: ${what}.`);
}

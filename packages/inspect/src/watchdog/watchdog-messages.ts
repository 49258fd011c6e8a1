// What a watchdog's thread gets from the threads of the program.

import type { ArenaHandle } from '@sluice/core';

/** The thread's `workerData`. */
export interface WatchdogData {
  /** ms. */
  readonly after: number;
  /** The most lines of each section of a report. */
  readonly lines: number;
  readonly handles: readonly ArenaHandle[];
  /** The table of the places that the threads of the program keep. */
  readonly places: SharedArrayBuffer;
  /** The folder for dumps, if there are to be any. */
  readonly dumps?: string | undefined;
  /** The channel on which other threads tell of the arenas that they open, if they do. */
  readonly channel?: string;
  /** The thread sets the first word to 1, and notifies it, when it listens. */
  readonly ready?: Int32Array;
}

export type ToWatchdog =
  | { readonly type: 'arena'; readonly handle: ArenaHandle }
  /** Write a report of each arena now. */
  | { readonly type: 'report' }
  | { readonly type: 'stop' };

/** Returns the handle without the compiled kernel, which a thread that only reads does not need. */
export function withoutModules({ kind, layout, arena, memory }: ArenaHandle): ArenaHandle {
  return { kind, layout, arena, memory };
}

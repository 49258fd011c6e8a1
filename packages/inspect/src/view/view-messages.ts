// What the thread of a view gets from the threads of the program, and what it answers.

import type { ArenaHandle } from '@sluice/core';
import type { MessagePort } from 'node:worker_threads';

/** The thread's `workerData`. */
export interface ViewData {
  readonly token: string;
  /** 0: any free port. */
  readonly port: number;
  /** The id of the process, and the file of its program. */
  readonly program: string;
  readonly handles: readonly ArenaHandle[];
  /** The table of the places that the threads of the program keep. */
  readonly places: SharedArrayBuffer;
  /** The channel on which other threads tell of the arenas that they open, if they do. */
  readonly channel?: string | undefined;
  /** The thread sends one `FromView` here, sets the word of `ready` to 1, and notifies it. */
  readonly answer: MessagePort;
  readonly ready: Int32Array;
}

export type FromView = { readonly port: number } | { readonly failure: string };

export type ToView =
  | { readonly type: 'arena'; readonly handle: ArenaHandle; readonly stays: boolean }
  | { readonly type: 'stop' };

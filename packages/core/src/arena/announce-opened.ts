// Tells the debugging tools of this thread about the arenas that the thread opens.
//
// A tool and the program may have loaded different copies of this package, so they find each other through a property
// of the global object, as the copies of the default arena do (default-arena.ts). Without a tool, an arena that opens
// reads one property.

import type { Parking } from '../agent/parking.ts';
import { LAYOUT_VERSION } from '../kernel/layout.ts';
import type { ArenaHandle } from '../memory/handle.ts';

/** An arena that this thread has opened. */
export interface OpenedArena {
  readonly handle: ArenaHandle;
  /** How the thread's agent parks. */
  readonly parking: Parking;
}

type Listener = (opened: OpenedArena) => void;
/** The listeners by the names of their tools. */
type Listeners = Map<string, Listener>;

const KEY = /* @__PURE__ */ Symbol.for(`@sluice/core opened arenas, layout ${LAYOUT_VERSION}`);

/** Tells the listeners of this thread, if there are any, that the thread has opened an arena. */
export function announceOpened(opened: OpenedArena): void {
  const listeners = Reflect.get(globalThis, KEY) as Listeners | undefined;
  if (listeners !== undefined) for (const listener of listeners.values()) listener(opened);
}

/**
 * Calls `listener`, which must not throw, for each arena that any copy of this package opens in this thread from now
 * on. Returns `false` if the thread has a listener for that tool, or if the global object accepts no property.
 */
export function listenToOpened(tool: string, listener: Listener): boolean {
  let listeners = Reflect.get(globalThis, KEY) as Listeners | undefined;
  if (listeners === undefined) {
    listeners = new Map();
    if (!Reflect.defineProperty(globalThis, KEY, { value: listeners, configurable: true })) return false;
  }
  if (listeners.has(tool)) return false;
  listeners.set(tool, listener);
  return true;
}

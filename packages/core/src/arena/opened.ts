// Tells a debugging tool of this thread about the arenas that the thread opens.
//
// The tool and the program may have loaded different copies of this package, so they find each other through a property
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

const KEY = /* @__PURE__ */ Symbol.for(`@sluice/core opened arenas, layout ${LAYOUT_VERSION}`);

/** Tells the listener of this thread, if there is one, that the thread has opened an arena. */
export function announceOpened(opened: OpenedArena): void {
  (Reflect.get(globalThis, KEY) as Listener | undefined)?.(opened);
}

/**
 * Calls `listener`, which must not throw, for each arena that any copy of this package opens in this thread from now
 * on. Returns `false` if the thread has a listener, or if the global object accepts no property.
 */
export function listenToOpened(listener: (opened: OpenedArena) => void): boolean {
  if (Reflect.get(globalThis, KEY) !== undefined) return false;
  return Reflect.defineProperty(globalThis, KEY, { value: listener, configurable: true });
}

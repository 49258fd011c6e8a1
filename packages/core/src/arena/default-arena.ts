// The handle of the default arena, for all copies of this package in one thread.
//
// A thread may have several copies: a package may bring its own (nested `node_modules`), or a program may load both ES
// modules and CommonJS. Each copy has its own module state. With a default arena for each copy, a watch in one copy
// would not recover locks in the arena of another copy.
//
// A property of the global object is the only place that all copies find. Its key names the layout, because a copy with
// another layout cannot read the arena.

import { LAYOUT_VERSION } from '../kernel/layout.ts';

/** A handle of `Arena`, made by this copy or another. */
interface SharedHandle {
  readonly arena: string;
}

interface Shared {
  readonly handle: SharedHandle;
  /** The copies whose default arena it is. */
  copies: number;
}

const KEY = /* @__PURE__ */ Symbol.for(`@sluice/core default arena, layout ${LAYOUT_VERSION}`);

function shared(): Shared | undefined {
  return Reflect.get(globalThis, KEY) as Shared | undefined;
}

/** Finds the default arena of another copy, and counts this copy. */
export function joinDefault(): SharedHandle | undefined {
  const found = shared();
  if (found === undefined) return undefined;
  found.copies += 1;
  return found.handle;
}

/**
 * Tells the other copies of this copy's default arena. If the global object takes no property, each copy keeps an arena
 * of its own.
 */
export function announceDefault(handle: SharedHandle): void {
  Reflect.defineProperty(globalThis, KEY, { value: { handle, copies: 1 } satisfies Shared, configurable: true });
}

/** This copy has left its default arena. After the last copy has left, the next one makes another. */
export function leaveDefault({ arena }: SharedHandle): void {
  const found = shared();
  if (found?.handle.arena !== arena) return;
  found.copies -= 1;
  if (found.copies === 0) Reflect.deleteProperty(globalThis, KEY);
}

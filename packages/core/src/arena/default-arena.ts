// The handle of the default arena, for all copies of this package in one thread.
//
// A thread may have several copies: a package may bring its own (nested `node_modules`), or a program may load both ES
// modules and CommonJS. Each copy has its own module state. If each copy had its own default arena, a watch in one copy
// would not recover locks that another copy created.
//
// All copies find each other only through a property of the global object. Its key names the layout, because a copy
// with another layout cannot read the arena.

import { LAYOUT_VERSION } from '../kernel/layout.ts';

/** A handle of `Arena` from this copy or another. */
interface SharedHandle {
  readonly arena: string;
}

interface Shared {
  readonly handle: SharedHandle;
  /** The number of copies that use this arena as their default. */
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
 * Tells other copies about this copy's default arena. If the global object accepts no property, each copy keeps an
 * arena of its own.
 */
export function announceDefault(handle: SharedHandle): void {
  Reflect.defineProperty(globalThis, KEY, { value: { handle, copies: 1 } satisfies Shared, configurable: true });
}

/** Records that this copy has left its default arena. After the last copy has left, the next call creates a new one. */
export function leaveDefault({ arena }: SharedHandle): void {
  const found = shared();
  if (found?.handle.arena !== arena) return;
  found.copies -= 1;
  if (found.copies === 0) Reflect.deleteProperty(globalThis, KEY);
}

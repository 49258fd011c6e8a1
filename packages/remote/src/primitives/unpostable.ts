// Symbols whose descriptions platforms print when a program posts a remote primitive to another thread (`refusePosting`
// of the core).

export const UNPOSTABLE = Symbol('a remote primitive cannot be posted to another thread');
/** For primitives that a bridge can take to other threads. */
export const UNPOSTABLE_BUT_BRIDGED = Symbol('a remote primitive cannot be posted to another thread: use space.bridge');

// What platforms print when a remote primitive is posted to another thread: it has no handle (see `refusePosting` of the core).

export const UNPOSTABLE = Symbol('a remote primitive cannot be posted to another thread');
/** Of those for which a bridge can be made. */
export const UNPOSTABLE_BUT_BRIDGED = Symbol('a remote primitive cannot be posted to another thread: use space.bridge');

// The steps that this package's WebAssembly kernel exports. Each becomes one function without loops and calls.

export { countUnits, enqueueAtSide, enterSide, look } from './enter.ts';
export { closeSides, commit, releaseSideForDeadOwner } from './leave.ts';
export { passInt32 } from './number.ts';
export { serveSides } from './serve.ts';
export { cancelSideLockWait, enqueueAtSideLock, parkSideLock, pollSideLock } from './side-lock.ts';

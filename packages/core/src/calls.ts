// What every call has, in an arena or elsewhere: its arguments, options and texts, aborts, values as bytes, and what
// differs between platforms. Nothing here knows an arena. The entry '@sluice/core/calls'.

export { setAlarm, type Alarm } from './platform/alarm.ts';
export { now } from './platform/clock.ts';
export { keepAlive, letGo, LONGEST_MS, setRef } from './platform/keep-alive.ts';
export { threadBudget } from './platform/loop-budget.ts';
export {
  asError,
  errorsOf,
  isArrayBuffer,
  isError,
  isMemory,
  isSharedBuffer,
  isUint8Array,
  messageOf,
  typedArrayName,
} from './platform/realm.ts';
export { reserveStack } from './platform/reserve-stack.ts';
export { threadClock, type Clock } from './platform/thread-clock.ts';
export { refusePosting } from './platform/unpostable.ts';
export { decodeText, encodeText } from './platform/utf8.ts';
export { TakeIterator, type Take } from './api/take-iterator.ts';
export {
  checkFlag,
  checkFunction,
  checkInteger,
  checkObject,
  checkOptions,
  checkTimeout,
  checkWellFormed,
  FROM_OPTIONS,
  MAX_PERMITS,
  PERMIT_CALLS,
  PLACED_OPTIONS,
  show,
} from './api/check.ts';
export { INSPECT, consoleText } from './api/console-text.ts';
export { refuseToBlock, rejected, overMax } from './api/failures.ts';
export { dispose } from './api/guard.ts';
export { runLocked, runLockedAsync } from './api/lock.ts';
export { checkSignal, offAbort, onAbort, reasonOf, throwIfAborted } from './api/on-abort.ts';
export { OverloadedError } from './api/overloaded-error.ts';
export { ownerDiedIn, RUN_OPTIONS, waitIn } from './api/owner-died.ts';
export { checkAsyncBody, checkBody, isAsyncBody, isThenable, refusePromise, reportRejection } from './api/run-body.ts';
export { checkWait, NO_WAIT_OPTIONS, WAIT_OPTIONS } from './api/wait-options.ts';
export { mergePolicy } from './api/waiting-policy.ts';
export { plural, type Titled, duration, printable } from './api/wording.ts';
export { wrongInstance } from './api/wrong-instance.ts';
export {
  checkNumber,
  codecOf,
  fixedBytes,
  isBuiltInCodec,
  lengthOf,
  packedBy,
  packedFor,
  RefusedValue,
  type CodecName,
  type ValueCodec,
} from './values/value-codec.ts';

// Results of kernel steps in words, for the report of what was covered.

import {
  ABANDONED,
  ADMITTED_DETACHED,
  CLOSED,
  NO_ROOM,
  OCCUPIED,
  OVER_BOUND,
  OVERFLOW,
  SLEEPING,
  FOREIGN,
  FREE,
  CANCELLED_LEFT_BEHIND,
  GRANTED,
  IDLE,
  NEEDS_WALK,
  LINKED,
  CANCELLED,
  PARKED,
  PROMISED,
  QUEUED,
  RACED,
  SHUT,
  SPENT,
  TAKEN,
  TOO_FEW,
  WAITING,
  WOKEN,
} from '../../src/kernel/states.ts';

const GATES = new Map<number, string>([
  [FREE, 'free'],
  [QUEUED, 'queued'],
  [LINKED, 'linked'],
  [PARKED, 'parked'],
  [GRANTED, 'granted'],
  [ABANDONED, 'abandoned'],
  [SPENT, 'spent'],
  [CLOSED, 'closed'],
  [PROMISED, 'promised'],
  [SLEEPING, 'dozing'],
  [WOKEN, 'woken'],
]);
const RESULTS = new Map<number, string>([
  [WAITING, 'waiting'],
  [TAKEN, 'taken'],
  [CANCELLED, 'out'],
  [CANCELLED_LEFT_BEHIND, 'gone'],
  [ADMITTED_DETACHED, 'caught'],
  [RACED, 'raced'],
  [SHUT, 'shut'],
  [OVER_BOUND, 'over'],
  [OVERFLOW, 'overflow'],
  [TOO_FEW, 'few'],
  [OCCUPIED, 'occupied'],
  [NO_ROOM, 'no room'],
  [FOREIGN, 'foreign'],
  [IDLE, 'idle'],
  [NEEDS_WALK, 'walk'],
]);

/** Returns the kind of a step's result, in words. */
export function describeResult(step: string, result: number): string {
  switch (step) {
    case 'walk':
      return result > 0 ? 'notify' : result === IDLE ? 'idle' : 'again';
    case 'passMutexInOrder':
      return result > 0 ? 'notify' : (RESULTS.get(result) ?? `${result}`);
    case 'wakeEarly':
    case 'rewake':
      return result > 0 ? 'notify' : 'none';
    case 'release':
    case 'unlockMutex':
    case 'handOverMutex':
    case 'releaseForDeadOwner':
    case 'releaseQueuedForDeadOwner':
    case 'releaseTtsForDeadOwner':
    case 'unlockQueued':
    case 'unlockTts':
    case 'passTts':
    case 'unlockTicket':
    case 'passTicket':
    case 'handOverQueued':
    case 'departCapacitor':
    case 'wakeAllAt':
    case 'signalChain':
    case 'signalKey':
    case 'signalSlot':
      return result === IDLE
        ? 'idle'
        : result > 0 || result === NEEDS_WALK
          ? 'walk'
          : (RESULTS.get(result) ?? `${result}`);
    case 'drain':
    case 'resizeLimit':
    case 'reduceLimit':
      return result < 0 ? 'shut' : result === 0 ? 'none' : 'some';
    case 'takeSome':
      return result > 0 ? 'some' : result === 0 ? 'none' : (RESULTS.get(result) ?? `${result}`);
    case 'restore':
      return result > 0 ? 'some' : result === 0 ? 'none' : 'raced';
    case 'balance':
    case 'distance':
      return result > 0 ? 'positive' : result < 0 ? 'negative' : 'zero';
    case 'enqueueAtMutex':
    case 'enqueueAtTts':
    case 'enqueueAtTicketLock':
    case 'enqueueAtQueuedLock':
    case 'arriveInLane':
    case 'tryArriveInLane':
      return result > 0 ? 'element' : (RESULTS.get(result) ?? `${result}`);
    case 'acquire':
      return result > 0 ? 'waiting' : (RESULTS.get(result) ?? `${result}`);
    case 'adopt':
      return 'element';
    case 'extend':
    case 'popFreeBlock':
    case 'split':
      return result > 0 ? 'block' : (RESULTS.get(result) ?? `${result}`);
    case 'link':
    case 'sleepOnGate':
    case 'park':
    case 'parkTts':
      return GATES.get(result) ?? RESULTS.get(result) ?? `${result}`;
    case 'isCapacitorEmpty':
      return result === 1 ? 'yes' : 'no';
    case 'sequence':
      return result > 0 ? 'some' : 'none';
    case 'bucketAt':
    case 'slotOfTicket':
    case 'moveOn':
    case 'sleepOn':
    case 'wakeUp':
    case 'pause':
    case 'publish':
    case 'absorb':
    case 'mergeTombstones':
    case 'beginWait':
    case 'detachTombstones':
      return 'done';
    default:
      return RESULTS.get(result) ?? `${result}`;
  }
}

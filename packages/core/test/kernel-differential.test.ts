import { scale } from '@sluice/harness';
import { FamilyDriver, familyBytesUsed } from './support/family-driver.ts';
import { CompositeDriver, compositeBytesUsed } from './support/composite-driver.ts';
import { compareKernels, type Comparison } from './support/kernel-comparison.ts';
import { bytesUsed, KernelDriver } from './support/kernel-driver.ts';

const STEPS = scale(1_100_000);

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['acquire waiting', 'acquire taken', 'acquire shut', 'adopt element', 'withdraw out', 'tryAcquire waiting', 'tryAcquire taken', 'tryAcquire shut'],
  ...['drain none', 'drain some', 'drain shut', 'balance positive', 'balance zero', 'balance negative'],
  ...['release idle', 'release walk', 'release shut', 'release full'],
  ...['distance positive', 'distance zero', 'distance negative', 'link linked', 'park linked', 'park granted'],
  ...['park closed', 'park parked', 'poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave out', 'leave gone'],
  ...['leave shut', 'wakeEarly notify', 'wakeEarly nobody', 'rewake notify', 'rewake nobody', 'walk idle', 'walk again', 'walk notify', 'claim taken', 'claim raced'],
  ...['extend block', 'extend full', 'pushFreeBlock taken', 'popFreeBlock block', 'popFreeBlock waiting', 'split block', 'absorb done', 'publish done', 'addToPool taken', 'close taken', 'close raced'],
  ...['retire taken', 'retire raced', 'claimRecord taken', 'claimRecord raced', 'takeOver taken', 'takeOver raced', 'dismiss taken', 'dismiss raced'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut', 'restore some', 'restore none', 'restore raced'],
];

/** The same at lightweight and multilane semaphores. */
const REACHABLE_AT_FRONTS = [
  ...['boxTake none', 'boxTake some', 'boxTake shut', 'enqueueAtBox taken', 'enqueueAtBox element', 'enqueueAtBox shut'],
  ...['boxRelease idle', 'boxRelease walk', 'boxRelease full', 'boxRelease shut'],
  ...['enterLane taken', 'enterLane element', 'enterLane shut', 'tryEnterLane taken', 'tryEnterLane waiting', 'tryEnterLane shut'],
  ...['postToLanes idle', 'postToLanes walk', 'postToLanes full', 'postToLanes shut', 'closeFront taken'],
  ...['beginDrain some', 'beginDrain none', 'beginDrain shut', 'drawShare raced', 'drawShare taken', 'drawShare waiting', 'drawShare shut'],
  ...['endDrain some', 'endDrain none'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave out', 'leave gone', 'leave shut', 'cancelDeadWaiter taken'],
  ...['cancelDeadWaiter out', 'cancelDeadWaiter gone', 'restore some', 'restore none', 'walk idle', 'walk again'],
];

/** The same at the semaphores of the family, and of waits on a condition. */
const REACHABLE_IN_THE_FAMILY = [
  ...['pushOntoChain waiting', 'sleepOnGate dozing', 'moveOn done', 'leaveChain out', 'leaveChain gone', 'sequence some', 'sequence none', 'signalChain idle'],
  ...['signalChain walk', 'signalKey idle', 'signalKey walk', 'signalSlot idle', 'signalSlot walk', 'wakeAllAt idle', 'wakeAllAt walk'],
  ...['sleepOn done', 'wakeUp done', 'bucketAt done', 'closeOfFamily idle', 'closeOfFamily raced', 'takeTokens taken', 'takeTokens waiting'],
  ...['takeTokens shut', 'giveTokens idle', 'giveTokens walk', 'giveTokens full', 'giveTokens shut', 'releaseBlindly walk', 'releaseBlindly shut'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave out', 'leave gone', 'leave shut', 'walk idle', 'walk again', 'walk notify'],
  ...['release idle', 'release walk', 'release full', 'acquire taken', 'acquire waiting', 'restore some', 'restore none'],
];

const COMPARISONS: readonly Comparison[] = [
  { name: 'at semaphores and on the heap', steps: STEPS, reachable: REACHABLE, bytes: bytesUsed, Driver: KernelDriver },
  { name: 'at lightweight and multilane semaphores', steps: STEPS / 4, reachable: REACHABLE_AT_FRONTS, bytes: compositeBytesUsed, Driver: CompositeDriver },
  { name: 'in the family and on conditions', steps: STEPS / 4, reachable: REACHABLE_IN_THE_FAMILY, bytes: familyBytesUsed, Driver: FamilyDriver },
];

compareKernels(COMPARISONS);

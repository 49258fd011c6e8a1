import { scale, Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { heapStart } from '../src/arena/found.ts';
import { bufferBytesUsed, BufferDriver } from './support/buffer-driver.ts';
import { FamilyDriver, familyBytesUsed } from './support/family-driver.ts';
import { CompositeDriver, compositeBytesUsed } from './support/composite-driver.ts';
import { gateBytesUsed, GateDriver } from './support/gate-driver.ts';
import { EDGES } from './support/inside.ts';
import { bytesUsed, KernelDriver } from './support/kernel-driver.ts';
import { lockBytesUsed, LockDriver } from './support/lock-driver.ts';
import { OfficeDriver } from './support/office-driver.ts';
import { officeBytesUsed } from './support/office-ground.ts';
import { Twins } from './support/twins.ts';

/** Steps between two fresh arenas: counters that begin just below an edge cross it in each. */
const EPISODE = 2000;
/** Turns of random agents: many of them take no step. */
const MOST_TURNS = 100 * EPISODE;
const STEPS = scale(1_100_000);
const BUCKETS = [1, 2, 16];
const STARTS: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
  ...EDGES.map(([name, edge]) => [`just below ${name}`, edge - 40n] as const),
];

/** Every result that a step can give without a thread in the middle of another thread's step. */
const REACHABLE = [
  ...['acquire waiting', 'acquire taken', 'acquire shut', 'adopt element', 'withdraw out', 'tryAcquire waiting', 'tryAcquire taken', 'tryAcquire shut'],
  ...['drain none', 'drain some', 'drain shut', 'balance positive', 'balance zero', 'balance negative'],
  ...['release idle', 'release walk', 'release shut', 'release full'],
  ...['resize some', 'resize none', 'resize shut', 'reduce some', 'reduce none', 'reduce shut'],
  ...['distance positive', 'distance zero', 'distance negative', 'link linked', 'park linked', 'park granted'],
  ...['park closed', 'park parked', 'poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave out', 'leave gone'],
  ...['leave shut', 'wakeEarly notify', 'wakeEarly nobody', 'rewake notify', 'rewake nobody', 'walk idle', 'walk again', 'walk notify', 'claim taken', 'claim raced'],
  ...['extend block', 'extend full', 'pushFreeBlock taken', 'popFreeBlock block', 'popFreeBlock waiting', 'split block', 'absorb done', 'publish done', 'addToPool taken', 'close taken', 'close raced'],
  ...['retire taken', 'retire raced', 'claimRecord taken', 'claimRecord raced', 'takeOver taken', 'takeOver raced', 'dismiss taken', 'dismiss raced'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut', 'restore some', 'restore none', 'restore raced'],
];

/** The same of the steps at box offices, and of those that act differently there. */
const REACHABLE_AT_OFFICES = [
  'detachTombstones done',
  ...['lock taken', 'lock waiting', 'lock shut', 'unlock idle', 'unlock raced', 'unlock shut'],
  ...['relock taken', 'relock waiting', 'relock full', 'relock shut'],
  ...['unrelock idle', 'unrelock raced', 'unrelock foreign', 'unrelock shut'],
  ...['enqueueAtMutex taken', 'enqueueAtMutex waiting', 'enqueueAtMutex element', 'enqueueAtMutex shut', 'handOver idle', 'handOver walk', 'handOver foreign'],
  ...['signal idle', 'signal walk', 'signal shut', 'consume taken', 'consume waiting', 'consume shut'],
  ...['enqueueAtEvent taken', 'enqueueAtEvent element', 'enqueueAtEvent shut', 'lockReader taken', 'lockReader waiting', 'lockReader shut'],
  ...['enqueueReader taken', 'enqueueReader waiting', 'enqueueReader element', 'enqueueReader full', 'enqueueReader shut'],
  ...['unlockReader idle', 'unlockReader walk', 'unlockReader foreign', 'unlockReader shut'],
  ...['lockWriter taken', 'lockWriter waiting', 'lockWriter shut'],
  ...['enqueueWriter taken', 'enqueueWriter waiting', 'enqueueWriter element', 'enqueueWriter full', 'enqueueWriter shut'],
  ...['unlockWriter idle', 'unlockWriter raced', 'unlockWriter foreign', 'unlockWriter shut'],
  ...['handOverWriter idle', 'handOverWriter walk', 'handOverWriter foreign'],
  ...['downgrade idle', 'downgrade walk', 'downgrade foreign', 'downgrade full', 'downgrade shut'],
  ...['releaseForDeadOwner idle', 'releaseForDeadOwner walk', 'releaseForDeadOwner foreign', 'restore some', 'restore none', 'restore raced'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave caught', 'leave out', 'leave gone', 'leave shut'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter caught', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut', 'wakeEarly notify', 'wakeEarly nobody'],
];

/** The same of the steps at the locks that a capacitor wraps. */
const REACHABLE_AT_LOCKS = [
  ...['lockTts taken', 'lockTts waiting', 'lockTts shut', 'enqueueAtTts taken', 'enqueueAtTts waiting', 'enqueueAtTts element', 'enqueueAtTts shut'],
  ...['unlockTts idle', 'unlockTts walk', 'unlockTts raced', 'unlockTts foreign', 'unlockTts shut'],
  ...['passTts idle', 'passTts walk', 'passTts foreign'],
  ...['lockTicket taken', 'lockTicket waiting', 'lockTicket shut'],
  ...['enqueueAtTicketLock taken', 'enqueueAtTicketLock waiting', 'enqueueAtTicketLock element', 'enqueueAtTicketLock shut'],
  ...['unlockTicket idle', 'unlockTicket walk', 'unlockTicket raced', 'unlockTicket foreign', 'unlockTicket shut'],
  ...['passTicket idle', 'passTicket walk', 'passTicket foreign'],
  ...['lock taken', 'lock waiting', 'lock shut', 'unlock idle', 'unlock raced', 'unlock shut'],
  ...['enqueueAtQueuedLock taken', 'enqueueAtQueuedLock waiting', 'enqueueAtQueuedLock element', 'enqueueAtQueuedLock shut'],
  ...['handOverQueued idle', 'handOverQueued walk', 'handOverQueued raced', 'handOverQueued foreign'],
  ...['park parked', 'park linked', 'park granted', 'park queued', 'park closed', 'link linked', 'wakeEarly notify', 'wakeEarly nobody'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave caught', 'leave out', 'leave gone', 'leave shut'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter caught', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut'],
  ...['releaseForDeadOwner idle', 'releaseForDeadOwner walk', 'releaseForDeadOwner raced', 'releaseForDeadOwner foreign', 'restore some', 'restore none'],
];

/** The same at capacitors and at a turnstile. */
const REACHABLE_AT_GATES = [
  ...['tryAcquire taken', 'tryAcquire waiting', 'tryAcquire shut', 'acquire taken', 'acquire waiting', 'acquire shut'],
  ...['arriveInLane taken', 'arriveInLane element', 'arriveInLane shut'],
  ...['tryArriveInLane taken', 'tryArriveInLane waiting', 'tryArriveInLane shut'],
  ...['depart idle', 'depart walk', 'depart foreign', 'depart shut', 'isEmpty yes', 'isEmpty no'],
  ...['balance positive', 'balance zero', 'balance negative', 'pause done', 'resume taken', 'resume waiting', 'resume shut'],
  ...['evict idle', 'evict walk', 'handOver idle', 'handOver walk', 'handOver foreign'],
  ...['lock taken', 'lock waiting', 'lock shut', 'unlock idle', 'unlock raced', 'unlock shut'],
  ...['enqueueAtMutex taken', 'enqueueAtMutex waiting', 'enqueueAtMutex element', 'enqueueAtMutex shut'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave caught', 'leave out', 'leave gone', 'leave shut'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter caught', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut', 'wakeEarly notify', 'wakeEarly nobody'],
  ...['releaseForDeadOwner idle', 'releaseForDeadOwner walk', 'releaseForDeadOwner foreign', 'restore some', 'restore none', 'restore raced'],
];

/** The same at a bounded buffer. */
const REACHABLE_AT_BUFFERS = [
  ...['enterSide position', 'enterSide waiting', 'enterSide raced', 'enterSide shut', 'look taken', 'look short', 'look shut'],
  ...['enterSide beside', 'countUnits some', 'enqueueAtSide taken', 'enqueueAtSide element', 'enqueueAtSide shut', 'commit idle', 'commit walk'],
  ...['closeSides idle', 'closeSides walk', 'lockTts taken', 'lockTts waiting'],
  ...['enqueueAtTts taken', 'enqueueAtTts waiting', 'enqueueAtTts element', 'release idle', 'release walk'],
  ...['poll waiting', 'poll taken', 'poll shut', 'leave taken', 'leave caught', 'leave out', 'leave gone', 'leave shut'],
  ...['park parked', 'park linked', 'park granted', 'park closed', 'link linked', 'walk idle', 'walk again', 'walk notify'],
  ...['cancelDeadWaiter taken', 'cancelDeadWaiter caught', 'cancelDeadWaiter out', 'cancelDeadWaiter gone', 'cancelDeadWaiter shut', 'wakeEarly notify', 'wakeEarly nobody'],
  ...['releaseForDeadOwner idle', 'releaseForDeadOwner walk', 'releaseForDeadOwner foreign', 'restore some', 'restore none'],
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

interface Comparison {
  readonly name: string;
  readonly steps: number;
  readonly reachable: readonly string[];
  readonly bytes: (heap: number) => number;
  readonly Driver: typeof KernelDriver | typeof OfficeDriver | typeof LockDriver | typeof GateDriver | typeof BufferDriver | typeof CompositeDriver | typeof FamilyDriver;
}

const COMPARISONS: readonly Comparison[] = [
  { name: 'at semaphores and on the heap', steps: STEPS, reachable: REACHABLE, bytes: bytesUsed, Driver: KernelDriver },
  { name: 'at box offices', steps: STEPS / 2, reachable: REACHABLE_AT_OFFICES, bytes: officeBytesUsed, Driver: OfficeDriver },
  { name: 'at inner locks', steps: STEPS / 2, reachable: REACHABLE_AT_LOCKS, bytes: lockBytesUsed, Driver: LockDriver },
  { name: 'at capacitors and a turnstile', steps: STEPS / 2, reachable: REACHABLE_AT_GATES, bytes: gateBytesUsed, Driver: GateDriver },
  { name: 'at lightweight and multilane semaphores', steps: STEPS / 4, reachable: REACHABLE_AT_FRONTS, bytes: compositeBytesUsed, Driver: CompositeDriver },
  { name: 'in the family and on conditions', steps: STEPS / 4, reachable: REACHABLE_IN_THE_FAMILY, bytes: familyBytesUsed, Driver: FamilyDriver },
  { name: 'at a bounded buffer', steps: STEPS / 4, reachable: REACHABLE_AT_BUFFERS, bytes: bufferBytesUsed, Driver: BufferDriver },
];

test.each(COMPARISONS)(
  'the WebAssembly kernel and the reference kernel agree in every answer and every byte after every step $name',
  { timeout: scale(60_000) },
  ({ name, steps: wanted, reachable, bytes, Driver }) => {
    const session = new Session(`kernels compared ${name}`);
    const coverage = new Map<string, number>();
    const twins = new Twins(bytes(heapStart(Math.max(...BUCKETS), 1)));
    let steps = 0;
    for (let episode = 0; steps < wanted; episode++) {
      const [, start] = STARTS[episode % STARTS.length] ?? ['0', 0n];
      const buckets = BUCKETS[Math.floor(episode / STARTS.length) % BUCKETS.length] ?? 1;
      const heap = twins.reset(buckets);
      const driver = new Driver(twins, session.random, coverage, heap, start);
      try {
        for (let turns = 0; driver.steps < EPISODE; turns++) {
          if (turns > MOST_TURNS) twins.fail(`${driver.steps} steps in ${turns} turns`);
          driver.step();
        }
      } catch (failure) {
        throw new Error(`episode ${episode}, SLUICE_SEED=${session.seed}`, { cause: failure });
      }
      steps += driver.steps;
    }
    const counts = [...coverage].sort(([a], [b]) => a.localeCompare(b)).map(([key, count]) => `${key} ${count}`);
    session.done(steps, `counters from ${STARTS.map(([name]) => name).join(', ')}; ${counts.join(' · ')}`);
    expect(steps).toBeGreaterThanOrEqual(wanted);
    expect(reachable.filter((key) => !coverage.has(key))).toEqual([]);
  },
);

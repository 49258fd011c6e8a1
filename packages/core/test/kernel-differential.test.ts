import { scale } from '@sluice/harness';
import { compareKernels, type Comparison } from './support/kernel-comparison.ts';
import { bytesUsed, KernelDriver } from './support/kernel-driver.ts';

const STEPS = scale(1_100_000);

/** All results that a step can return if no thread is within another thread's step. */
const REACHABLE = [
  ...[
    'acquire waiting',
    'acquire taken',
    'acquire shut',
    'adopt element',
    'withdraw out',
    'tryAcquire waiting',
    'tryAcquire taken',
    'tryAcquire shut',
  ],
  ...['drain none', 'drain some', 'drain shut', 'balance positive', 'balance zero', 'balance negative'],
  ...['release idle', 'release walk', 'release shut', 'release over'],
  ...[
    'distance positive',
    'distance zero',
    'distance negative',
    'link linked',
    'park linked',
    'park granted',
    'park walk',
  ],
  ...['beginWait done', 'endWait taken', 'endWait waiting'],
  ...[
    'park closed',
    'park parked',
    'poll waiting',
    'poll taken',
    'poll shut',
    'cancelWait taken',
    'cancelWait out',
    'cancelWait gone',
    'mergeTombstones done',
  ],
  ...[
    'cancelWait shut',
    'wakeEarly notify',
    'wakeEarly none',
    'rewake notify',
    'rewake none',
    'walk idle',
    'walk again',
    'walk notify',
    'claim taken',
    'claim raced',
  ],
  ...[
    'extend block',
    'extend no room',
    'pushFreeBlock taken',
    'popFreeBlock block',
    'popFreeBlock waiting',
    'split block',
    'absorb done',
    'publish done',
    'addToPool taken',
    'close taken',
    'close raced',
  ],
  ...[
    'retire taken',
    'retire raced',
    'claimRecord taken',
    'claimRecord raced',
    'takeOver taken',
    'takeOver raced',
    'dismiss taken',
    'dismiss raced',
  ],
  ...[
    'cancelWait dead taken',
    'cancelWait dead out',
    'cancelWait dead gone',
    'cancelWait dead shut',
    'restore some',
    'restore none',
    'restore raced',
  ],
];

const COMPARISONS: readonly Comparison[] = [
  { name: 'at semaphores and on the heap', steps: STEPS, reachable: REACHABLE, bytes: bytesUsed, Driver: KernelDriver },
];

compareKernels(COMPARISONS);

import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { LATCH } from '../src/kinds.ts';
import { latchBytesUsed, LatchDriver } from './support/latch-driver.ts';

/** The number of rounds that have ended at the start: 0, and numbers just below each limit of the upper half. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...[
    'addToLatch idle',
    'addToLatch overflow',
    'addToLatch shut',
    'claimAtLatch idle',
    'claimAtLatch few',
    'claimAtLatch shut',
  ],
  ...[
    'countDown idle',
    'countDown walk',
    'countDown few',
    'countDown shut',
    'enqueueAtLatch taken',
    'enqueueAtLatch waiting',
    'enqueueAtLatch shut',
  ],
  ...[
    'pollLatch waiting',
    'pollLatch taken',
    'pollLatch shut',
    'cancelLatchWait taken',
    'cancelLatchWait caught',
    'cancelLatchWait out',
  ],
  ...[
    'cancelLatchWait gone',
    'cancelLatchWait shut',
    'restoreClaims 0',
    'restoreClaims 1',
    'restoreClaims 3',
    'link linked',
    'park parked',
    'park granted',
  ],
  ...['walk idle', 'walk again', 'walk notify'],
];
/** Results for which the core's drivers use another name. */
const NAMES: Readonly<Record<string, string>> = {
  'restoreClaims waiting': 'restoreClaims 0',
  'restoreClaims taken': 'restoreClaims 1',
  'restoreClaims gone': 'restoreClaims 3',
};

compareKernels([
  {
    name: 'at latches',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: latchBytesUsed,
    Driver: LatchDriver,
    kinds: [{ source: LATCH.kernel, steps }],
    starts: STARTS,
    names: NAMES,
    counted: ['enqueueAtLatch'],
  },
]);

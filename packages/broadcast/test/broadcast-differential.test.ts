import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { ENDED, LAGGED } from '../src/kernel/outcomes.ts';
import * as steps from '../src/kernel/steps.ts';
import { BROADCAST } from '../src/kinds.ts';
import { streamBytesUsed, StreamDriver } from './support/stream-driver.ts';

/** The word at the start: 0, and values just below each limit of the word and of its position. */
const STARTS = [0n, 2n ** 31n - 40n, 2n ** 32n - 40n, 2n ** 33n - 40n, 2n ** 63n - 40n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...[
    'claimBroadcastSlot occupied',
    'claimBroadcastSlot shut',
    'publishBroadcast idle',
    'publishBroadcast walk',
    'publishBroadcast shut',
    'closeBroadcast idle',
  ],
  ...[
    'closeBroadcast walk',
    'closeBroadcast shut',
    'startBroadcast taken',
    'startBroadcast shut',
    'beginBroadcastRead waiting',
    'beginBroadcastRead shut',
  ],
  ...[
    `beginBroadcastRead ${ENDED}`,
    `beginBroadcastRead ${LAGGED}`,
    'confirmBroadcastRead taken',
    'confirmBroadcastRead raced',
    'enqueueAtBroadcast taken',
  ],
  ...[
    'enqueueAtBroadcast waiting',
    'enqueueAtBroadcast shut',
    'pollBroadcast waiting',
    'pollBroadcast taken',
    'pollBroadcast shut',
  ],
  ...[
    'cancelBroadcastWait taken',
    'cancelBroadcastWait caught',
    'cancelBroadcastWait out',
    'cancelBroadcastWait gone',
    'cancelBroadcastWait shut',
  ],
  ...['link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
];

compareKernels([
  {
    name: 'at broadcasts',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: streamBytesUsed,
    Driver: StreamDriver,
    kinds: [{ source: BROADCAST.kernel, steps }],
    starts: STARTS,
    counted: ['enqueueAtBroadcast', 'claimBroadcastSlot', 'beginBroadcastRead'],
  },
]);

import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { LIMIT_REACHED } from '../src/kernel/outcomes.ts';
import * as steps from '../src/kernel/steps.ts';
import { BROADCAST } from '../src/kinds.ts';
import { HeldDriver, heldBytesUsed } from './support/held-driver.ts';

/** The word at the start: 0, and values just below each limit of the word and of its position. */
const STARTS = [0n, 2n ** 31n - 40n, 2n ** 32n - 40n, 2n ** 33n - 40n, 2n ** 63n - 40n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...[
    'seekBroadcastRoom taken',
    'seekBroadcastRoom waiting',
    `seekBroadcastRoom ${LIMIT_REACHED}`,
    'seekBroadcastRoom shut',
    'publishHeldBroadcast idle',
  ],
  ...[
    'publishHeldBroadcast waiting',
    'publishHeldBroadcast shut',
    'beginBroadcastScan -11',
    'scanBroadcastMark -11',
    'endBroadcastScan taken',
  ],
  ...[
    'enqueueForBroadcastRoom taken',
    'enqueueForBroadcastRoom waiting',
    'enqueueForBroadcastRoom shut',
    'takeBroadcastMark taken',
    'takeBroadcastMark occupied',
  ],
  ...[
    'takeBroadcastMark shut',
    'passBroadcastMark taken',
    'passBroadcastMark walk',
    'freeBroadcastMark idle',
    'freeBroadcastMark walk',
  ],
  ...[
    'freeBroadcastMark shut',
    'freeDeadBroadcastMark -11',
    'freeDeadBroadcastMark idle',
    'closeHeldBroadcast walk',
    'closeHeldBroadcast shut',
  ],
  ...[
    'pollBroadcast waiting',
    'pollBroadcast taken',
    'cancelBroadcastWait out',
    'cancelBroadcastWait gone',
    'link linked',
    'park parked',
    'walk notify',
  ],
];

compareKernels([
  {
    name: 'at broadcasts whose publishers wait',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: heldBytesUsed,
    Driver: HeldDriver,
    kinds: [{ source: BROADCAST.kernel, steps }],
    starts: STARTS,
    counted: ['enqueueForBroadcastRoom', 'endBroadcastScan'],
  },
]);

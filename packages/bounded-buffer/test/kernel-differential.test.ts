import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { BUFFER } from '../src/sides/kinds.ts';
import { bufferBytesUsed, BufferDriver } from './support/buffer-driver.ts';

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...[
    'enterSide position',
    'enterSide waiting',
    'enterSide raced',
    'enterSide shut',
    'lookAtSide position',
    'lookAtSide raced',
    'lookAtSide short',
    'lookAtSide shut',
  ],
  ...[
    'enterSide beside',
    'countSideUnits some',
    'enqueueAtSide taken',
    'enqueueAtSide element',
    'enqueueAtSide shut',
    'commitSide idle',
    'commitSide walk',
  ],
  ...[
    'passInt32 value',
    'passInt32 value and walk',
    'passInt32 waiting',
    'passInt32 raced',
    'passInt32 shut',
    'passInt32 beside',
  ],
  ...['closeSides idle', 'closeSides walk', 'serveSides idle', 'serveSides again'],
  ...[
    'enqueueAtSideLock taken',
    'enqueueAtSideLock waiting',
    'enqueueAtSideLock element',
    'release idle',
    'release walk',
  ],
  ...[
    'poll waiting',
    'poll taken',
    'poll shut',
    'cancelWait taken',
    'cancelWait out',
    'cancelWait gone',
    'cancelWait shut',
  ],
  ...[
    'pollSideLock waiting',
    'pollSideLock taken',
    'pollSideLock shut',
    'cancelSideLockWait waiting',
    'cancelSideLockWait taken',
  ],
  ...['cancelSideLockWait caught', 'cancelSideLockWait out', 'cancelSideLockWait shut'],
  ...[
    'park parked',
    'park linked',
    'park granted',
    'park closed',
    'link linked',
    'walk idle',
    'walk again',
    'walk notify',
  ],
  ...[
    'parkSideLock parked',
    'parkSideLock linked',
    'parkSideLock granted',
    'parkSideLock queued',
    'leaveLine out',
    'leaveLine gone',
  ],
  ...[
    'cancelWait dead taken',
    'cancelWait dead out',
    'cancelWait dead gone',
    'cancelWait dead shut',
    'wakeEarly notify',
    'wakeEarly none',
  ],
  ...[
    'cancelSideLockWait dead waiting',
    'cancelSideLockWait dead taken',
    'cancelSideLockWait dead caught',
    'cancelSideLockWait dead out',
  ],
  ...[
    'releaseSideForDeadOwner idle',
    'releaseSideForDeadOwner walk',
    'releaseSideForDeadOwner foreign',
    'restore some',
    'restore none',
  ],
];

compareKernels([
  {
    name: 'at a bounded buffer',
    steps: scale(275_000),
    reachable: REACHABLE,
    bytes: bufferBytesUsed,
    Driver: BufferDriver,
    kinds: [{ source: BUFFER.kernel, steps }],
  },
]);

import { scale } from '@sluice/harness';
import { compareKernels } from '../../../core/test/support/kernel-comparison.ts';
import * as steps from '../../src/watch/kernel/steps.ts';
import { WATCH_CELL } from '../../src/watch/kinds.ts';
import { cellBytesUsed, CellDriver } from './support/cell-driver.ts';

/** The word at the start: 0, and values just below each limit. */
const STARTS = [0n, 2n ** 31n - 160n, 2n ** 32n - 160n, 2n ** 63n - 160n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...[
    'claimWatchSlot taken',
    'claimWatchSlot occupied',
    'claimWatchSlot shut',
    'publishWatchSlot idle',
    'publishWatchSlot walk',
    'publishWatchSlot shut',
  ],
  ...['closeWatch idle', 'closeWatch walk', 'closeWatch shut'],
  ...[
    'beginWatchRead shut',
    'enqueueAtWatch taken',
    'enqueueAtWatch waiting',
    'enqueueAtWatch shut',
    'pollWatch waiting',
    'pollWatch taken',
  ],
  ...[
    'pollWatch shut',
    'cancelWatchWait taken',
    'cancelWatchWait caught',
    'cancelWatchWait out',
    'cancelWatchWait gone',
    'cancelWatchWait shut',
  ],
  ...['link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
];

compareKernels([
  {
    name: 'at watch cells',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: cellBytesUsed,
    Driver: CellDriver,
    kinds: [{ source: WATCH_CELL.kernel, steps }],
    starts: STARTS,
    counted: ['enqueueAtWatch'],
  },
]);

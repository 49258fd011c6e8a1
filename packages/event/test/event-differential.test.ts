import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { MANUAL_EVENT } from '../src/kinds.ts';
import { eventBytesUsed, EventDriver } from './support/event-driver.ts';

/** The word at the start: 0, and values just below each limit. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n, 2n ** 63n - 20n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...[
    'setManualEvent idle',
    'setManualEvent walk',
    'setManualEvent shut',
    'resetManualEvent taken',
    'resetManualEvent waiting',
    'resetManualEvent shut',
  ],
  ...[
    'enqueueAtManualEvent taken',
    'enqueueAtManualEvent waiting',
    'enqueueAtManualEvent shut',
    'pollManualEvent waiting',
    'pollManualEvent taken',
  ],
  ...[
    'pollManualEvent shut',
    'cancelManualWait taken',
    'cancelManualWait caught',
    'cancelManualWait out',
    'cancelManualWait gone',
    'cancelManualWait shut',
  ],
  ...['link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
];

compareKernels([
  {
    name: 'at manual-reset events',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: eventBytesUsed,
    Driver: EventDriver,
    kinds: [{ source: MANUAL_EVENT.kernel, steps }],
    starts: STARTS,
    counted: ['enqueueAtManualEvent'],
  },
]);

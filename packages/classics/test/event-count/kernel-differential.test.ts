import { scale } from '@sluice/harness';
import { compareKernels } from '../../../core/test/support/kernel-comparison.ts';
import * as steps from '../../src/event-count/kernel/steps.ts';
import { EVENT_COUNT } from '../../src/event-count/kinds.ts';
import { eventCountBytesUsed, EventCountDriver } from './support/event-count-driver.ts';

/** The count at the start: 0, and values just below each limit. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n, 2n ** 53n - 20n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...['advanceEventCount idle', 'advanceEventCount walk', 'advanceEventCount overflow', 'advanceEventCount shut'],
  ...['enqueueAtEventCount taken', 'enqueueAtEventCount waiting', 'enqueueAtEventCount shut'],
  ...['pollEventCount waiting', 'pollEventCount taken', 'pollEventCount shut'],
  ...[
    'cancelEventCountWait taken',
    'cancelEventCountWait caught',
    'cancelEventCountWait out',
    'cancelEventCountWait gone',
    'cancelEventCountWait shut',
  ],
  ...['drawAtSequencer shut', 'link linked', 'park parked', 'park granted', 'walk idle', 'walk again', 'walk notify'],
];

compareKernels([
  {
    name: 'at event counts and sequencers',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: eventCountBytesUsed,
    Driver: EventCountDriver,
    kinds: [{ source: EVENT_COUNT.kernel, steps }],
    starts: STARTS,
    counted: ['enqueueAtEventCount', 'drawAtSequencer'],
  },
]);

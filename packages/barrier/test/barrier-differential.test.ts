import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { ACTS_NOW, AWAKE, BROKEN_MEANWHILE, NOT_YET, WAKES_ALL } from '../src/kernel/outcomes.ts';
import * as steps from '../src/kernel/steps.ts';
import { BARRIER } from '../src/kinds.ts';
import { barrierBytesUsed, BarrierDriver } from './support/barrier-driver.ts';

/** The number of generations that have ended at the start: 0, and numbers just below each limit of the upper half. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...[
    'arriveAtBarrier taken',
    'arriveAtBarrier waiting',
    'arriveAtBarrier shut',
    'tripBarrier idle',
    'tripBarrier walk',
    `tripBarrier ${BROKEN_MEANWHILE}`,
    'tripBarrier shut',
  ],
  ...['breakBarrier idle', 'breakBarrier walk', 'breakBarrier shut', 'mendBarrier idle', 'mendBarrier shut'],
  ...[
    'registerAtBarrier idle',
    'registerAtBarrier overflow',
    'registerAtBarrier shut',
    'claimParties idle',
    'claimParties few',
    'claimParties shut',
  ],
  ...['leaveBarrier idle', 'leaveBarrier walk', 'leaveBarrier few', 'leaveBarrier shut', `leaveBarrier ${ACTS_NOW}`],
  ...[
    'pollBarrier waiting',
    'pollBarrier taken',
    'pollBarrier shut',
    'cancelBarrierWait taken',
    'cancelBarrierWait caught',
    'cancelBarrierWait out',
  ],
  ...['cancelBarrierWait gone', 'cancelBarrierWait shut', 'cancelBarrierWait dead out', 'cancelBarrierWait dead gone'],
  ...[
    'restoreParties 0',
    'restoreParties 1',
    'restoreParties 2',
    'link linked',
    'park parked',
    'park granted',
    'walk idle',
    'walk again',
    'walk notify',
  ],
  ...[
    'arriveAtBarrierToSleep asleep',
    'arriveAtBarrierToSleep taken',
    'arriveAtBarrierToSleep walk',
    'arriveAtBarrierToSleep shut',
    ...[AWAKE, NOT_YET, WAKES_ALL].map((result) => `arriveAtBarrierToSleep ${result}`),
  ],
  ...[
    'prepareSleepAtBarrier asleep',
    'prepareSleepAtBarrier taken',
    'prepareSleepAtBarrier waiting',
    'wakeAtBarrier over',
    'wakeAtBarrier waiting',
    'wakeAtBarrier shut',
  ],
  ...['wakeBarrierSleepers notify', 'wakeBarrierSleepers -11'],
];
/** Results for which the core's drivers use another name. */
const NAMES: Readonly<Record<string, string>> = {
  'restoreParties waiting': 'restoreParties 0',
  'restoreParties free': 'restoreParties 0',
};

compareKernels([
  {
    name: 'at barriers',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: barrierBytesUsed,
    Driver: BarrierDriver,
    kinds: [{ source: BARRIER.kernel, steps }],
    starts: STARTS,
    names: NAMES,
    counted: ['arriveAtBarrier'],
  },
]);

import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { DONE, OWN, REFUSED } from '../src/kernel/outcomes.ts';
import * as steps from '../src/kernel/steps.ts';
import { ONCE } from '../src/kinds.ts';
import { onceBytesUsed, OnceDriver } from './support/once-driver.ts';

/** The number of attempts that have ended at the start: 0, and numbers just below each limit of the upper half. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n];

/** Every result that a step can return while no other thread is in the middle of a step. */
const REACHABLE = [
  ...['claimOnce taken', 'claimOnce done', 'claimOnce own', 'claimOnce waiting', 'claimOnce refused', 'claimOnce shut'],
  ...[
    'endOnce idle',
    'endOnce walk',
    'endOnce foreign',
    'endOnce shut',
    'closeOnce taken',
    'closeOnce waiting',
    'closeOnce shut',
  ],
  ...['enqueueAtOnce taken', 'enqueueAtOnce waiting', 'enqueueAtOnce shut', 'restoreOnce 0', 'restoreOnce 1'],
  ...[
    'pollManualEvent waiting',
    'pollManualEvent taken',
    'pollManualEvent shut',
    'cancelManualWait taken',
    'cancelManualWait caught',
  ],
  ...[
    'cancelManualWait out',
    'cancelManualWait gone',
    'cancelManualWait shut',
    'link linked',
    'park parked',
    'park granted',
    'walk idle',
    'walk again',
    'walk notify',
  ],
];
/** Results for which the core's drivers use another name. */
const NAMES: Readonly<Record<string, string>> = {
  [`claimOnce ${DONE}`]: 'claimOnce done',
  [`claimOnce ${OWN}`]: 'claimOnce own',
  [`claimOnce ${REFUSED}`]: 'claimOnce refused',
  'restoreOnce waiting': 'restoreOnce 0',
  'restoreOnce taken': 'restoreOnce 1',
};

compareKernels([
  {
    name: 'at onces',
    steps: scale(200_000),
    reachable: REACHABLE,
    bytes: onceBytesUsed,
    Driver: OnceDriver,
    kinds: [{ source: ONCE.kernel, steps }],
    starts: STARTS,
    names: NAMES,
    counted: ['enqueueAtOnce'],
  },
]);

import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { DONE, OWN, REFUSED } from '../src/kernel/once-results.ts';
import * as steps from '../src/kernel/steps.ts';
import { ONCE } from '../src/kinds.ts';
import { onceBytesUsed, OnceDriver } from './support/once-driver.ts';

/** Attempts that have ended at the start: at 0 and just below each edge of the upper half. */
const STARTS = [0n, 2n ** 31n - 20n, 2n ** 32n - 20n];

/** Every result that a step can give without a thread in the middle of another thread's step. */
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
/** Results that the core's drivers call by another name. */
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

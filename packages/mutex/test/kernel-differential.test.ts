import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { MUTEX } from '../src/kinds.ts';
import { MutexDriver, mutexBytesUsed } from './support/mutex-driver.ts';

const REACHABLE = [
  ...[
    'lockMutex taken',
    'lockMutex waiting',
    'lockMutex shut',
    'unlockMutex idle',
    'unlockMutex raced',
    'unlockMutex shut',
  ],
  ...['relockMutex taken', 'relockMutex waiting', 'relockMutex overflow', 'relockMutex shut'],
  ...['unrelockMutex idle', 'unrelockMutex raced', 'unrelockMutex foreign', 'unrelockMutex shut'],
  ...[
    'enqueueAtMutex taken',
    'enqueueAtMutex waiting',
    'enqueueAtMutex element',
    'enqueueAtMutex shut',
    'handOverMutex idle',
    'handOverMutex walk',
    'handOverMutex foreign',
  ],
  ...[
    'passMutexInOrder idle',
    'passMutexInOrder notify',
    'passMutexInOrder walk',
    'passMutexInOrder raced',
    'passMutexInOrder shut',
  ],
  ...['releaseMutexForDeadOwner idle', 'releaseMutexForDeadOwner walk', 'releaseMutexForDeadOwner foreign'],
  ...['makeMutexDue idle'],
  ...[
    'pollMutex waiting',
    'pollMutex taken',
    'pollMutex shut',
    'cancelMutexWait taken',
    'cancelMutexWait caught',
    'cancelMutexWait out',
  ],
  ...[
    'cancelMutexWait waiting',
    'cancelMutexWait shut',
    'leaveLine out',
    'leaveLine gone',
    'wakeEarly notify',
    'wakeEarly none',
  ],
  ...[
    'cancelMutexWait dead taken',
    'cancelMutexWait dead caught',
    'cancelMutexWait dead waiting',
    'cancelMutexWait dead shut',
  ],
];

compareKernels([
  {
    name: 'at mutexes',
    steps: scale(300_000),
    reachable: REACHABLE,
    bytes: mutexBytesUsed,
    Driver: MutexDriver,
    kinds: [{ source: MUTEX.kernel, steps }],
  },
]);

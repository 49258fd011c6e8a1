import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { MUTEX } from '../src/kinds.ts';
import { MutexDriver, mutexBytesUsed } from './support/mutex-driver.ts';

const REACHABLE = [
  ...['lock taken', 'lock waiting', 'lock shut', 'unlock idle', 'unlock raced', 'unlock shut'],
  ...['relock taken', 'relock waiting', 'relock overflow', 'relock shut'],
  ...['unrelock idle', 'unrelock raced', 'unrelock foreign', 'unrelock shut'],
  ...[
    'enqueueAtMutex taken',
    'enqueueAtMutex waiting',
    'enqueueAtMutex element',
    'enqueueAtMutex shut',
    'handOver idle',
    'handOver walk',
    'handOver foreign',
  ],
  ...['passInOrder idle', 'passInOrder notify', 'passInOrder walk', 'passInOrder raced', 'passInOrder shut'],
  ...['releaseMutexForDeadOwner idle', 'releaseMutexForDeadOwner walk', 'releaseMutexForDeadOwner foreign'],
  ...['makeDue idle'],
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

import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { RW_LOCK } from '../src/kinds.ts';
import { RwDriver, rwBytesUsed } from './support/rw-driver.ts';

const REACHABLE = [
  'detachTombstones done',
  ...['lockReader taken', 'lockReader waiting', 'lockReader shut'],
  ...[
    'enqueueReader taken',
    'enqueueReader waiting',
    'enqueueReader element',
    'enqueueReader overflow',
    'enqueueReader shut',
  ],
  ...['unlockReader idle', 'unlockReader walk', 'unlockReader foreign', 'unlockReader shut'],
  ...['lockWriter taken', 'lockWriter waiting', 'lockWriter shut'],
  ...[
    'enqueueWriter taken',
    'enqueueWriter waiting',
    'enqueueWriter element',
    'enqueueWriter overflow',
    'enqueueWriter shut',
  ],
  ...['unlockWriter idle', 'unlockWriter raced', 'unlockWriter foreign', 'unlockWriter shut'],
  ...['handOverWriter idle', 'handOverWriter walk', 'handOverWriter foreign'],
  ...['makeWriterDue idle'],
  ...[
    'downgradeWriter idle',
    'downgradeWriter walk',
    'downgradeWriter foreign',
    'downgradeWriter overflow',
    'downgradeWriter shut',
    'leaveLine out',
    'leaveLine gone',
  ],
  ...['wakeEarly notify', 'wakeEarly none'],
  ...['Reader', 'Writer'].flatMap((side) => [
    ...['waiting', 'taken', 'shut'].map((result) => `poll${side} ${result}`),
    ...['waiting', 'taken', 'caught', 'out', 'shut'].map((result) => `cancel${side}Wait ${result}`),
    ...['some', 'none'].map((result) => `restore${side} ${result}`),
  ]),
  // A dead reader that was admitted is counted out at once.
  ...['waiting', 'out', 'gone', 'shut'].map((result) => `cancelReaderWait dead ${result}`),
  ...['waiting', 'taken', 'caught', 'shut'].map((result) => `cancelWriterWait dead ${result}`),
];

compareKernels([
  {
    name: 'at read-write locks',
    steps: scale(250_000),
    reachable: REACHABLE,
    bytes: rwBytesUsed,
    Driver: RwDriver,
    kinds: [{ source: RW_LOCK.kernel, steps }],
  },
]);

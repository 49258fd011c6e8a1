import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { EVENT } from '../src/kinds.ts';
import { EventDriver, eventBytesUsed } from './support/event-driver.ts';

const REACHABLE = [
  ...[
    'signalEvent idle',
    'signalEvent walk',
    'signalEvent shut',
    'consumeEvent taken',
    'consumeEvent waiting',
    'consumeEvent shut',
  ],
  ...[
    'enqueueAtEvent taken',
    'enqueueAtEvent element',
    'enqueueAtEvent shut',
    'restoreSignals some',
    'restoreSignals none',
    'restoreSignals raced',
  ],
  ...[
    'pollEvent waiting',
    'pollEvent taken',
    'pollEvent shut',
    'cancelEventWait taken',
    'cancelEventWait caught',
    'cancelEventWait out',
  ],
  ...[
    'cancelEventWait waiting',
    'cancelEventWait shut',
    'leaveLine out',
    'leaveLine gone',
    'wakeEarly notify',
    'wakeEarly none',
  ],
  ...[
    'cancelEventWait dead taken',
    'cancelEventWait dead caught',
    'cancelEventWait dead waiting',
    'cancelEventWait dead shut',
  ],
];

compareKernels([
  {
    name: 'at events',
    steps: scale(150_000),
    reachable: REACHABLE,
    bytes: eventBytesUsed,
    Driver: EventDriver,
    kinds: [{ source: EVENT.kernel, steps }],
  },
]);

import { scale } from '@sluice/harness';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import * as steps from '../src/kernel/steps.ts';
import { TURNSTILE } from '../src/gates/kinds.ts';
import { gateBytesUsed, GateDriver } from './support/gate-driver.ts';

const REACHABLE = [
  ...['tryAcquire taken', 'tryAcquire waiting', 'tryAcquire shut', 'acquire taken', 'acquire waiting', 'acquire shut'],
  ...['arriveInLane taken', 'arriveInLane element', 'arriveInLane shut'],
  ...['tryArriveInLane taken', 'tryArriveInLane waiting', 'tryArriveInLane shut'],
  ...[
    'departCapacitor idle',
    'departCapacitor walk',
    'departCapacitor foreign',
    'departCapacitor shut',
    'isCapacitorEmpty yes',
    'isCapacitorEmpty no',
  ],
  ...['balance positive', 'balance zero', 'balance negative'],
  ...[
    'departTurnstile idle',
    'departTurnstile walk',
    'departTurnstile foreign',
    'makeTurnDue idle',
    'isTurnstileUnused yes',
    'isTurnstileUnused no',
  ],
  ...[
    'enterTurnstile taken',
    'enterTurnstile waiting',
    'enterTurnstile shut',
    'enterInTurn taken',
    'enterInTurn waiting',
    'enterInTurn shut',
  ],
  ...[
    'leaveTurnstile idle',
    'leaveTurnstile raced',
    'leaveTurnstile shut',
    'leaveInTurn idle',
    'leaveInTurn raced',
    'leaveInTurn shut',
  ],
  ...[
    'enqueueAtTurnstile taken',
    'enqueueAtTurnstile waiting',
    'enqueueAtTurnstile element',
    'enqueueAtTurnstile shut',
  ],
  ...[
    'pollTurnstile waiting',
    'pollTurnstile taken',
    'pollTurnstile shut',
    'cancelTurnstileWait taken',
    'cancelTurnstileWait caught',
  ],
  ...[
    'cancelTurnstileWait waiting',
    'cancelTurnstileWait out',
    'cancelTurnstileWait shut',
    'leaveLine out',
    'leaveLine gone',
  ],
  ...[
    'cancelTurnstileWait dead taken',
    'cancelTurnstileWait dead caught',
    'cancelTurnstileWait dead waiting',
    'cancelTurnstileWait dead shut',
  ],
  ...[
    'poll waiting',
    'poll taken',
    'poll shut',
    'cancelWait taken',
    'cancelWait out',
    'cancelWait gone',
    'cancelWait shut',
  ],
  ...[
    'cancelWait dead taken',
    'cancelWait dead out',
    'cancelWait dead gone',
    'cancelWait dead shut',
    'wakeEarly notify',
    'wakeEarly none',
  ],
  ...[
    'rejoin taken',
    'rejoin waiting',
    'cancelLaneWait taken',
    'cancelLaneWait gone',
    'cancelLaneWait shut',
    'cancelLaneWait dead taken',
    'cancelLaneWait dead gone',
    'cancelLaneWait dead shut',
    'walkLanes idle',
    'walkLanes again',
    'walkLanes notify',
  ],
  ...[
    'departTurnstileForDead idle',
    'departTurnstileForDead walk',
    'departTurnstileForDead foreign',
    'departCapacitorForDead some',
    'departCapacitorForDead none',
    'departCapacitorForDead raced',
  ],
];

compareKernels([
  {
    name: 'at capacitors and a turnstile',
    steps: scale(550_000),
    reachable: REACHABLE,
    bytes: gateBytesUsed,
    Driver: GateDriver,
    kinds: [{ source: TURNSTILE.kernel, steps }],
  },
]);

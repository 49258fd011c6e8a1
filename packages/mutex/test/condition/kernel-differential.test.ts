import { scale } from '@sluice/harness';
import { compareKernels } from '../../../core/test/support/kernel-comparison.ts';
import * as mutexSteps from '../../src/kernel/steps.ts';
import { MUTEX } from '../../src/kinds.ts';
import * as rwSteps from '../../../rw-lock/src/kernel/steps.ts';
import { RW_LOCK } from '../../../rw-lock/src/kinds.ts';
import * as steps from '../../src/condition/kernel/steps.ts';
import { CONDITION } from '../../src/condition/kinds.ts';
import { ConditionDriver, conditionBytesUsed } from './support/condition-driver.ts';

const REACHABLE = [
  ...['notifyCondition idle', 'notifyCondition walk', 'notifyCondition waiting', 'notifyCondition shut'],
  ...[
    'enqueueAtCondition element',
    'enqueueAtCondition shut',
    'moveToMutex taken',
    'moveToMutex waiting',
    'moveToWriter taken',
    'moveToWriter waiting',
  ],
  ...[
    'pollCondition waiting',
    'pollCondition taken',
    'pollCondition shut',
    'cancelConditionWait taken',
    'cancelConditionWait caught',
  ],
  ...['cancelConditionWait waiting', 'cancelConditionWait shut', 'leaveLine out', 'leaveLine gone'],
  ...[
    'cancelConditionWait dead taken',
    'cancelConditionWait dead raced',
    'cancelConditionWait dead waiting',
    'cancelConditionWait dead shut',
  ],
  ...[
    'restoreNotifications some',
    'restoreNotifications none',
    'restoreNotifications raced',
    'pollMutex taken',
    'pollWriter taken',
  ],
];

compareKernels([
  {
    name: 'at conditions',
    steps: scale(150_000),
    reachable: REACHABLE,
    bytes: conditionBytesUsed,
    Driver: ConditionDriver,
    kinds: [
      { source: MUTEX.kernel, steps: mutexSteps },
      { source: RW_LOCK.kernel, steps: rwSteps },
      { source: CONDITION.kernel, steps },
    ],
  },
]);

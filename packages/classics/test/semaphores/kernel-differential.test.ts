import { scale } from '@sluice/harness';
import { expect, test } from 'vitest';
import { compareKernels } from '../../../core/test/support/kernel-comparison.ts';
import { KIND_SEMA } from '../../src/semaphores/kernel/layout.ts';
import * as steps from '../../src/semaphores/kernel/steps.ts';
import { SEMAPHORES } from '../../src/semaphores/kinds.ts';
import { CompositeDriver, compositeBytesUsed } from './support/composite-driver.ts';
import { FamilyDriver, familyBytesUsed } from './support/family-driver.ts';

const STEPS = scale(275_000);
const kinds = [{ source: SEMAPHORES.kernel, steps }];

/**
 * Every result that a step can give without a thread in the middle of another thread's step, at semaphores with several
 * lines.
 */
const REACHABLE_AT_FRONTS = [
  ...[
    'takeAtBox none',
    'takeAtBox some',
    'takeAtBox shut',
    'enqueueAtBox taken',
    'enqueueAtBox element',
    'enqueueAtBox shut',
  ],
  ...['boxRelease idle', 'boxRelease walk', 'boxRelease over', 'boxRelease shut'],
  ...[
    'enterLane taken',
    'enterLane element',
    'enterLane shut',
    'tryEnterLane taken',
    'tryEnterLane waiting',
    'tryEnterLane shut',
  ],
  ...['postToLanes idle', 'postToLanes walk', 'postToLanes over', 'postToLanes shut', 'closeFront taken'],
  ...[
    'beginDrain some',
    'beginDrain waiting',
    'beginDrain shut',
    'drawShare raced',
    'drawShare taken',
    'drawShare waiting',
    'drawShare shut',
  ],
  ...['endDrain some', 'endDrain waiting'],
  ...[
    'pollMember waiting',
    'pollMember taken',
    'pollMember shut',
    'cancelMemberWait taken',
    'cancelMemberWait waiting',
    'leaveLine out',
    'leaveLine gone',
    'cancelMemberWait shut',
    'cancelMemberWait dead taken',
  ],
  ...[
    'cancelMemberWait dead waiting',
    'cancelMemberWait out',
    'restoreMember some',
    'restoreMember none',
    'walk idle',
    'walk again',
    'walkMembers idle',
    'walkMembers again',
    'walkMembers notify',
  ],
];

/** The same at the semaphores of the family, and of waits on a condition. */
const REACHABLE_IN_THE_FAMILY = [
  ...[
    'pushOntoChain waiting',
    'sleepOnGate dozing',
    'moveOn done',
    'leaveChain out',
    'leaveChain gone',
    'sequence some',
    'sequence none',
    'signalChain idle',
  ],
  ...[
    'signalChain walk',
    'signalKey idle',
    'signalKey walk',
    'signalSlot idle',
    'signalSlot walk',
    'wakeAllAt idle',
    'wakeAllAt walk',
  ],
  ...[
    'sleepOn done',
    'wakeUp done',
    'bucketAt done',
    'slotOfTicket done',
    'closeOfFamily idle',
    'closeOfFamily raced',
    'takeTokens taken',
    'takeTokens waiting',
  ],
  ...[
    'takeTokens shut',
    'giveTokens idle',
    'giveTokens walk',
    'giveTokens over',
    'giveTokens shut',
    'releaseBlindly walk',
    'releaseBlindly shut',
  ],
  ...[
    'pollMember waiting',
    'pollMember taken',
    'pollMember shut',
    'cancelMemberWait taken',
    'cancelMemberWait waiting',
    'leaveLine out',
    'leaveLine gone',
    'cancelMemberWait shut',
    'walk idle',
    'walk again',
    'walk notify',
    'walkMembers idle',
    'walkMembers again',
    'walkMembers notify',
  ],
  ...[
    'releaseTickets idle',
    'releaseTickets walk',
    'releaseTickets over',
    'acquireTicket taken',
    'acquireTicket waiting',
    'restoreMember some',
    'restoreMember none',
    'beginMerge done',
    'mergeNeighbours done',
  ],
];

compareKernels([
  {
    name: 'at lightweight and multilane semaphores',
    steps: STEPS,
    reachable: REACHABLE_AT_FRONTS,
    bytes: compositeBytesUsed,
    Driver: CompositeDriver,
    kinds,
  },
  {
    name: 'in the family and on conditions',
    steps: STEPS,
    reachable: REACHABLE_IN_THE_FAMILY,
    bytes: familyBytesUsed,
    Driver: FamilyDriver,
    kinds,
  },
]);

test('the kernel knows the code of its kind', () => {
  expect(KIND_SEMA).toBe(SEMAPHORES.code);
});

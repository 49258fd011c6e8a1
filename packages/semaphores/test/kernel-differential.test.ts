import { scale } from '@sluice/harness';
import { expect, test } from 'vitest';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { KIND_SEMA, KIND_SIZED } from '../src/kernel/layout.ts';
import { CANCELLED_HOLDING, LATE, LEFT_BEHIND_HOLDING } from '../src/kernel/resizable-waits.ts';
import * as steps from '../src/kernel/steps.ts';
import { SEMAPHORES } from '../src/kinds.ts';
import { RESIZABLE } from '../src/resizable-kind.ts';
import { CompositeDriver, compositeBytesUsed } from './support/composite-driver.ts';
import { FamilyDriver, familyBytesUsed } from './support/family-driver.ts';
import { ResizableDriver, resizableBytesUsed } from './support/resizable-driver.ts';

const STEPS = scale(275_000);
const kinds = [{ source: SEMAPHORES.kernel, steps }];

/**
 * Every result that a step can give without a thread in the middle of another thread's step, at semaphores with several
 * lines.
 */
const REACHABLE_AT_FRONTS = [
  ...[
    'boxTake none',
    'boxTake some',
    'boxTake shut',
    'enqueueAtBox taken',
    'enqueueAtBox element',
    'enqueueAtBox shut',
  ],
  ...[
    'enqueueAtLevel taken',
    'enqueueAtLevel element',
    'enqueueAtLevel shut',
    'levelsRelease idle',
    'levelsRelease walk',
    'levelsRelease over',
    'levelsRelease shut',
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

/** The same at resizable semaphores. */
const REACHABLE_AT_RESIZABLE = [
  ...[
    'takeSized taken',
    'takeSized waiting',
    'takeSized shut',
    'drainSized some',
    'drainSized none',
    'drainSized shut',
  ],
  ...['enqueueSized taken', 'enqueueSized element', 'enqueueSized shut', 'enqueueSized overflow'],
  ...[
    'releaseSized idle',
    'releaseSized walk',
    'releaseSized shut',
    'releaseSized overflow',
    'resizeSized idle',
    'resizeSized walk',
    'resizeSized shut',
    'resizeSized overflow',
  ],
  ...[
    'forgetSized taken',
    'forgetSized shut',
    'forgetSized few',
    'restoreSized some',
    'restoreSized none',
    'closeSized taken',
    'closeSized raced',
  ],
  ...[
    'pollSized taken',
    'pollSized waiting',
    'pollSized shut',
    `pollSized ${LATE}`,
    'parkSized linked',
    'parkSized granted',
    'parkSized raced',
  ],
  ...[
    'cancelSized taken',
    'cancelSized caught',
    'cancelSized waiting',
    'cancelSized shut',
    'cancelSized out',
    `cancelSized ${CANCELLED_HOLDING}`,
    `cancelSized ${LEFT_BEHIND_HOLDING}`,
    'leaveLine out',
    'leaveLine gone',
  ],
  ...[
    'cancelSized dead taken',
    'cancelSized dead out',
    'cancelSized dead gone',
    'cancelSized dead waiting',
    'cancelAllSized taken',
    'cancelAllSized shut',
  ],
  ...[
    'walkSized idle',
    'walkSized again',
    'walkSized notify',
    'watchSized taken',
    'watchSized waiting',
    'watchSized element',
    'watchSized shut',
  ],
  ...[
    'pollWatcher taken',
    'pollWatcher waiting',
    'pollWatcher shut',
    'cancelWatcher taken',
    'cancelWatcher out',
    'cancelWatcher gone',
    'cancelWatcher dead out',
    'cancelWatcher dead gone',
    'walk idle',
    'walk again',
    'walk notify',
  ],
];

compareKernels([
  {
    name: 'at lightweight, multilane and priority semaphores',
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
  {
    name: 'at resizable semaphores',
    steps: STEPS,
    reachable: REACHABLE_AT_RESIZABLE,
    bytes: resizableBytesUsed,
    Driver: ResizableDriver,
    kinds,
  },
]);

test('the kernel knows the codes of its kinds', () => {
  expect([KIND_SEMA, KIND_SIZED]).toEqual([SEMAPHORES.code, RESIZABLE.code]);
});

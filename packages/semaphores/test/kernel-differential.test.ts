import { scale } from '@sluice/harness';
import { expect, test } from 'vitest';
import { compareKernels } from '../../core/test/support/kernel-comparison.ts';
import { KIND_PRIO, KIND_SIZED } from '../src/kernel/layout.ts';
import { CANCELLED_HOLDING, LATE, LEFT_BEHIND_HOLDING } from '../src/kernel/outcomes.ts';
import * as steps from '../src/kernel/steps.ts';
import { PRIORITY } from '../src/kinds.ts';
import { RESIZABLE } from '../src/resizable-kind.ts';
import { LevelDriver, levelBytesUsed } from './support/level-driver.ts';
import { ResizableDriver, resizableBytesUsed } from './support/resizable-driver.ts';

const STEPS = scale(275_000);
const kinds = [{ source: PRIORITY.kernel, steps }];

/**
 * All results that a step can return at priority semaphores if no thread is within another thread's step.
 */
const REACHABLE_AT_LEVELS = [
  ...['boxTake none', 'boxTake some', 'boxTake shut', 'boxTakeAll taken', 'boxTakeAll waiting', 'boxTakeAll shut'],
  ...[
    'enqueueAtLevel taken',
    'enqueueAtLevel element',
    'enqueueAtLevel shut',
    'levelsRelease idle',
    'levelsRelease walk',
    'levelsRelease over',
    'levelsRelease shut',
  ],
  ...[
    'closeLevels taken',
    'pollLevel waiting',
    'pollLevel taken',
    'pollLevel shut',
    'cancelLevelWait taken',
    'cancelLevelWait waiting',
    'cancelLevelWait shut',
  ],
  ...[
    'cancelLevelWait dead taken',
    'cancelLevelWait dead waiting',
    'leaveLine out',
    'leaveLine gone',
    'restoreLevels some',
    'restoreLevels none',
  ],
  ...['walk idle', 'walk again', 'walkLevels idle', 'walkLevels again'],
];

/** The same for resizable semaphores. */
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
    name: 'at priority semaphores',
    steps: STEPS,
    reachable: REACHABLE_AT_LEVELS,
    bytes: levelBytesUsed,
    Driver: LevelDriver,
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

test('the kernel has the codes of its kinds', () => {
  expect([KIND_PRIO, KIND_SIZED]).toEqual([PRIORITY.code, RESIZABLE.code]);
});

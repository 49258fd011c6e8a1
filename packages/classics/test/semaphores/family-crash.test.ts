// Crashes of agents that use the members of the family: the ticketed ones with every operation of the core's own
// semaphore, the one of tokens with the operations that it has.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../../core/test/support/controller-by-hand.ts';
import { crashSuite } from '../../../core/test/support/crash-suite.ts';
import { lineOperations } from '../../../core/test/support/crash-lines.ts';
import { handOperations, rareOperations } from '../../../core/test/support/crash-rarities.ts';
import { releaseOperations } from '../../../core/test/support/crash-releases.ts';
import { handsAt, operationsAt, TOKENS } from './support/crash-composite.ts';
import { atMembers } from './support/crash-members.ts';
import './support/kinds.ts';

beforeAll(() => {
  vi.stubGlobal('AbortController', ControllerByHand);
});
afterAll(() => void vi.unstubAllGlobals());

/** Where the elements are counted out to the last it is not the same: all waits of an agent take one more here. */
const rare = rareOperations.filter(({ name }) => !name.startsWith('has no element for its ticket'));

/** Not all members sleep with the step that the permit is to come before. */
const lines = lineOperations.filter(({ name }) => name !== 'blocks, and its permit is released just before it sleeps');

crashSuite({
  operations: [...operationsAt(TOKENS), ...atMembers([...lines, ...releaseOperations, ...rare])],
  holdings: [...handsAt(TOKENS), ...atMembers(handOperations)],
  asked: operationsAt(TOKENS),
  // Each share is no divisor of the number of operations that each member has, so that the members take turns.
  shares: { told: 2, twice: 13, writes: 3, inside: 3 },
});

// Agents die at every point of what they do with semaphores of this package, and the agent that recovers them has not
// loaded their kind.

import { afterAll, beforeAll, vi } from 'vitest';
import '../../../core/test/support/crash-injection.ts';
import { ControllerByHand } from '../../../core/test/support/controller-by-hand.ts';
import { lineOperations } from '../../../core/test/support/crash-lines.ts';
import { releaseOperations } from '../../../core/test/support/crash-releases.ts';
import { pendingSuite } from '../../../core/test/support/pending-suite.ts';
import { rounds } from '../../../core/test/support/rounds.ts';
import { KINDS, operationsAt, TOKENS } from './support/crash-composite.ts';
import { atMembers } from './support/crash-members.ts';
import { resizableOperations } from '../../../semaphores/test/support/crash-resizable.ts';
import './support/kinds.ts';

beforeAll(() => {
  rounds.install();
  vi.stubGlobal('AbortController', ControllerByHand);
});
afterAll(() => void vi.unstubAllGlobals());

const composite = [TOKENS, ...KINDS].flatMap((kind) => operationsAt(kind));
/** Not all members sleep with the step that the permit is to come before. */
const lines = lineOperations.filter(({ name }) => name !== 'blocks, and its permit is released just before it sleeps');
const members = atMembers([...lines, ...releaseOperations]);

pendingSuite([
  { operations: composite, share: 3, shareOfTwo: 23 },
  { operations: members, share: 3, shareOfTwo: 29 },
  { operations: resizableOperations, share: 3, shareOfTwo: 11 },
]);

// Mutants of park and unpark: each changes one line, and the case that it names must catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const PARK_MUTANTS: readonly Mutant[] = [
  {
    name: 'unpark() wakes no agent',
    in: 'unparkAt',
    find: 'if (kernel.signalChain(agent, bucketAt(context, permit), 0) === NEEDS_WALK) context.finishWalk();',
    replace: '',
    caughtBy: 'one agent parks',
  },
  {
    name: 'unpark() gives no permit to an agent that has had one',
    in: 'unparkAt',
    find: 'seen > id',
    replace: 'seen >= 0',
    caughtBy: 'an agent parks twice',
  },
  {
    name: 'park() leaves the permit',
    in: 'takePermit',
    find: 'words.cas32(agent + AGENT_PERMIT, id, 0) === id',
    replace: 'words.load32(agent + AGENT_PERMIT) === id',
    caughtBy: 'an agent parks twice',
  },
  {
    name: 'park() takes a permit that is not there',
    in: 'takePermit',
    find: 'words.cas32(agent + AGENT_PERMIT, id, 0) === id',
    replace: 'words.cas32(agent + AGENT_PERMIT, id, 0) >= 0',
    caughtBy: 'one agent parks',
  },
  {
    name: 'unpark() wakes the agents of another bucket',
    in: 'unparkAt',
    find: 'bucketAt(context, permit)',
    replace: 'bucketAt(context, permit + 512)',
    caughtBy: 'two agents park in two buckets',
  },
];

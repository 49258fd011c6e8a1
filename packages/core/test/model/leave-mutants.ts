// Mutants for the scenarios in which agents join and leave: the source with one line wrong.

import type { Mutant } from './mutants.ts';

const ASKED = 'an agent leaves while another asks whether it lives, and joins';
const DEATH = 'death of an agent that leaves';
const GROWS = 'death of an agent that joins and grows the pool';

export const JOIN_MUTANTS: readonly Mutant[] = [
  {
    name: 'the blocks of an agent that died while it joined are not looked for',
    in: 'recoverThread',
    find: 'freeBlocksOfJoiners(context, thread);',
    replace: '',
    caughtBy: GROWS,
  },
  {
    name: 'a block of an agent that joins names its id instead of its thread',
    in: 'join',
    file: 'memory/found.ts',
    find: 'id: -thread',
    replace: 'id',
    caughtBy: GROWS,
  },
  {
    name: 'a retired block of an agent that died while it joined is used again whatever agents refer to it',
    in: 'freeBlocksOfJoiners',
    find: 'heap.retire(context, block)',
    replace: 'heap.free(context, block)',
    caughtBy: 'death of an agent that joins while a retired block is referred to',
  },
  {
    name: 'two agents free the same block of one that died while it joined',
    in: 'freeBlocksOfJoiners',
    find: 'if (words.cas32(block + BLOCK_OWNER, -thread, context.id) !== -thread) continue;',
    replace: '',
    caughtBy: 'two agents recover one that died while it joined',
  },
  {
    name: 'a claimed record does not name its thread',
    in: 'claimRecord',
    find: 'put32(record + AGENT_THREAD, thread);',
    replace: '',
    caughtBy: 'death of an agent that joins with a free record',
  },
  {
    name: 'an agent whose pool block came second keeps the block',
    in: 'Pool.#grow',
    find: 'if (kernel.addToPool(this.#head, block, newest) === RACED) heap.free(claimant, block);',
    replace: 'kernel.addToPool(this.#head, block, newest);',
    caughtBy: 'two agents join, and one of them dies',
  },
];

export const LEAVE_MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent that leaves does not take its own record',
    in: 'leaveArena',
    find: 'takeOwnRecord(context);',
    replace: '',
    caughtBy: ASKED,
  },
  {
    name: 'an agent that leaves ends its token before it has its record',
    in: 'leaveArena',
    find: 'takeOwnRecord(context); context.retire(); disarm(context);',
    replace: 'disarm(context); takeOwnRecord(context); context.retire();',
    caughtBy: ASKED,
  },
  {
    name: 'an agent that leaves gives up its record to an agent that only asks',
    in: 'takeOwnRecord',
    find: 'while (kernel.takeOver(agent, id, reclaimer, id) !== TAKEN);',
    replace: 'while (kernel.takeOver(agent, id, reclaimer, id) === 0);',
    caughtBy: ASKED,
  },
  {
    name: 'an agent that leaves and does not answer any more is taken for dead',
    in: 'recover',
    file: 'recovery/reclaim.ts',
    find: "if (reclaimer === id && !certain) return 'busy';",
    replace: '',
    caughtBy: ASKED,
  },
  {
    name: 'an agent that leaves recovers nothing',
    in: 'leaveArena',
    find: 'new Recovery(context, context.agent, context.id, []).run();',
    replace: '',
    caughtBy: 'an agent leaves beside one that waits',
  },
  {
    name: 'an agent that died while it left is left to itself',
    in: 'recover',
    file: 'recovery/reclaim.ts',
    find: 'reclaimer > 0 && reclaimer !== id',
    replace: 'reclaimer > 0',
    caughtBy: DEATH,
  },
];

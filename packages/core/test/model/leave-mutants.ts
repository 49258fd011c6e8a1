// Mutants for the scenarios in which agents join and leave: each changes one line.

import type { Mutant } from './mutants.ts';

const ASKED = 'an agent leaves while another agent probes it and then joins';
const DEATH = 'an agent dies while it leaves';
const GROWS = 'an agent dies while it joins and grows the pool';

export const JOIN_MUTANTS: readonly Mutant[] = [
  {
    name: 'a recovery does not search for the blocks of an agent that died while it joined',
    in: 'recoverThread',
    find: 'freeBlocksOfJoiners(context, thread);',
    replace: '',
    caughtBy: GROWS,
  },
  {
    name: "a block of a joining agent names the agent's id instead of its thread",
    in: 'join',
    file: 'memory/lay-out-arena.ts',
    find: 'id: -thread',
    replace: 'id',
    caughtBy: GROWS,
  },
  {
    name: 'a recovery frees a retired block of a dead joiner although other agents refer to it',
    in: 'freeBlocksOfJoiners',
    find: 'heap.retire(context, block)',
    replace: 'heap.free(context, block)',
    caughtBy: 'an agent dies while it joins, and another agent refers to a retired block',
  },
  {
    name: 'two agents free the same block of an agent that died while it joined',
    in: 'freeBlocksOfJoiners',
    find: 'if (words.cas32(block + BLOCK_OWNER, -thread, context.id) !== -thread) continue;',
    replace: '',
    caughtBy: 'two agents recover an agent that died while it joined',
  },
  {
    name: 'a claimed record does not name its thread',
    in: 'claimRecord',
    find: 'put32(record + AGENT_THREAD, thread);',
    replace: '',
    caughtBy: 'an agent dies while it joins with a free record',
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
    name: 'a leaving agent does not take its own record',
    in: 'leaveArena',
    find: 'takeOwnRecord(context);',
    replace: '',
    caughtBy: ASKED,
  },
  {
    name: 'a leaving agent ends its token before it has taken its record',
    in: 'leaveArena',
    find: 'takeOwnRecord(context); context.retire(); disarm(context);',
    replace: 'disarm(context); takeOwnRecord(context); context.retire();',
    caughtBy: ASKED,
  },
  {
    name: 'a leaving agent leaves its record to an agent that only probes it',
    in: 'takeOwnRecord',
    find: 'while (kernel.takeOver(agent, id, reclaimer, id) !== TAKEN);',
    replace: 'while (kernel.takeOver(agent, id, reclaimer, id) === 0);',
    caughtBy: ASKED,
  },
  {
    name: 'a leaving agent that no longer answers counts as dead',
    in: 'recover',
    file: 'recovery/claim-dead-agent.ts',
    find: "if (reclaimer === id && !certain) return 'busy';",
    replace: '',
    caughtBy: ASKED,
  },
  {
    name: 'a leaving agent recovers nothing',
    in: 'leaveArena',
    find: 'new Recovery(context, context.agent, context.id, []).run();',
    replace: '',
    caughtBy: 'an agent leaves while another agent waits',
  },
  {
    name: 'no agent recovers an agent that died while it left',
    in: 'recover',
    file: 'recovery/claim-dead-agent.ts',
    find: 'reclaimer > 0 && reclaimer !== id',
    replace: 'reclaimer > 0',
    caughtBy: DEATH,
  },
];

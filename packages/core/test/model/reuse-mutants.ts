// Mutants for the scenarios in which memory is reused: the source with one line wrong.

import type { Mutant } from './mutants.ts';

const TOMBSTONE = 'a tombstone in the hand of another walker';
const UNLINKED = 'a waiter that has not linked gives up while its semaphore is replaced';
const CUT = 'death of an agent that cuts a block';
const JOINED = 'death of an agent that joins neighbours';
const IN_STUB = 'a ticket in a stub is given back while its semaphore is replaced';

export const REUSE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a freed block is used again whatever agents refer to it',
    in: 'Heap.retire',
    find: 'isReferred(references(words), block, words.load32(block + BLOCK_SIZE))',
    replace: 'references(words).length < 0',
    caughtBy: TOMBSTONE,
  },
  {
    name: 'the scan leaves out elements',
    in: 'references',
    find: 'noteElements(words, found);',
    replace: '',
    caughtBy: 'a tombstone whose semaphore becomes bytes like a semaphore',
  },
  {
    name: 'the scan leaves out hazard words',
    in: 'noteHazards',
    find: 'found.add(words.load32(record + AGENT_HAZARD)',
    replace: 'words.load32(record + AGENT_HAZARD',
    caughtBy: UNLINKED,
  },
  {
    name: 'the scan does not look at hazard words between stubs and elements',
    in: 'references',
    find: 'const found = new Set<number>(); noteStubs(words, found); noteHazards(words, found); noteElements(words, found); noteHazards(words, found); noteWords(words, found); noteHazards(words, found); found.delete(0); return [...found].sort((a, b) => a - b);',
    replace:
      'const found = new Set<number>(); noteStubs(words, found); noteElements(words, found); noteHazards(words, found); noteWords(words, found); noteHazards(words, found); found.delete(0); return [...found].sort((a, b) => a - b);',
    caughtBy: 'a ticket moves while its semaphore becomes bytes like a semaphore',
  },
  {
    name: 'the hazard word is not written',
    in: 'guard',
    find: 'store32(agent + AGENT_HAZARD, line);',
    replace: '',
    caughtBy: UNLINKED,
  },
  {
    name: 'a waiter that gives up clears its hazard word too early',
    in: 'leave',
    find: 'guard(agent, sem);',
    replace: 'guard(agent, sem); unguard(agent);',
    caughtBy: UNLINKED,
  },
  {
    name: 'a ticket in a stub is given back without a guard',
    in: 'withdraw',
    file: 'kernel/leave.ts',
    find: 'const left = withdrawGuarded(agent, element); unguard(agent);',
    replace: 'unguard(agent); const left = withdrawGuarded(agent, element);',
    caughtBy: IN_STUB,
  },
  {
    name: 'the scan leaves out stubs',
    in: 'references',
    find: 'noteStubs(words, found);',
    replace: '',
    caughtBy: IN_STUB,
  },
  {
    name: 'a block is given back before the waits at it are ended',
    in: 'freePrimitive',
    find: 'takeApart(context, agent, address, lines); context.heap.retire(context, address);',
    replace: 'context.heap.free(context, address); takeApart(context, agent, address, lines);',
    caughtBy: UNLINKED,
  },
];

export const HEAP_MUTANTS: readonly Mutant[] = [
  {
    name: 'a list’s head does not count its changes',
    in: 'pushFreeBlock',
    file: 'kernel/heap.ts',
    find: 'high32(head) + 1',
    replace: 'high32(head)',
    also: {
      in: 'popFreeBlock',
      file: 'kernel/heap.ts',
      find: 'high32(head) + 1',
      replace: 'high32(head)',
    },
    caughtBy: 'two free blocks, an agent that takes both and gives one back',
  },
  {
    name: 'a block is taken off its list without a compare-and-swap',
    in: 'popFreeBlock',
    file: 'kernel/heap.ts',
    find: 'if (cas64(list, head, pair(next, high32(head) + 1)) !== head) return RACED;',
    replace: 'add64(list, minus(pair(next, high32(head) + 1), head));',
    also: { in: 'import ./words.ts', file: 'kernel/heap.ts', find: 'add32', replace: 'add32, add64, minus' },
    caughtBy: 'one free block, two agents',
  },
  {
    name: 'the rest of a block that was cut is not on the map',
    in: 'split',
    find: 'markStart(rest);',
    replace: '',
    caughtBy: 'a block is cut',
  },
  {
    name: 'a block that was cut keeps its size',
    in: 'split',
    find: 'store32(block + BLOCK_SIZE, size);',
    replace: '',
    caughtBy: 'a block is cut',
  },
  {
    name: 'a block that was joined stays on the map',
    in: 'absorb',
    find: 'clearStart(next);',
    replace: '',
    caughtBy: 'neighbours are joined',
  },
  {
    name: 'blocks are joined that are no neighbours',
    in: 'joinFree',
    find: 'before + words.load32(before + BLOCK_SIZE) ===',
    replace: 'before <',
    caughtBy: 'two agents join',
  },
  {
    name: 'the rest of a block that was cut names no agent',
    in: 'split',
    find: 'put32(rest + BLOCK_OWNER, owner);',
    replace: '',
    caughtBy: CUT,
  },
  {
    name: 'a block from a list names no agent',
    in: 'popFreeBlock',
    file: 'kernel/heap.ts',
    find: 'store32(block + BLOCK_OWNER, owner);',
    replace: '',
    caughtBy: JOINED,
  },
  {
    name: 'a block from the end names no agent',
    in: 'extend',
    find: 'put32(block + BLOCK_OWNER, owner);',
    replace: '',
    caughtBy: 'death of an agent that takes a block from the end',
  },
  {
    name: 'the recovery frees no blocks',
    in: 'Recovery.run',
    find: 'this.#losses.blocksFreed = freeBlocksInHand(this.#context, this.#record, this.#id);',
    replace: '',
    caughtBy: JOINED,
  },
  {
    name: 'the recovery does not know the blocks that were being freed',
    in: 'isInHand',
    find: '(kind === KIND_CLAIMED || kind === KIND_LEAVING)',
    replace: 'kind === KIND_CLAIMED',
    caughtBy: 'death of an agent that frees a semaphore',
  },
];

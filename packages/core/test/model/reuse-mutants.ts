// Mutants for the scenarios in which memory is reused: each changes one line.

import type { Mutant } from './mutants.ts';

const TOMBSTONE = 'a tombstone that another walker has in hand';
const UNLINKED = 'a waiter that has not linked cancels while its semaphore is replaced';
const CUT = 'an agent dies while it splits a block';
const JOINED = 'an agent dies while it joins neighbours';
const IN_STUB = 'an agent rolls back a ticket in its stub while the semaphore is replaced';

export const REUSE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a freed block is reused although agents refer to it',
    in: 'Heap.retire',
    find: 'isReferred(references(words), block, words.load32(block + BLOCK_SIZE))',
    replace: 'references(words).length < 0',
    caughtBy: TOMBSTONE,
  },
  {
    name: 'the scan omits elements',
    in: 'references',
    find: 'noteElements(words, found);',
    replace: '',
    caughtBy: 'a region with the bytes of a semaphore replaces the semaphore of a tombstone',
  },
  {
    name: 'the scan omits hazard words',
    in: 'noteHazards',
    find: 'found.add(words.load32(record + AGENT_HAZARD)',
    replace: 'words.load32(record + AGENT_HAZARD',
    caughtBy: UNLINKED,
  },
  {
    name: 'the scan does not read hazard words between stubs and elements',
    in: 'references',
    find: 'const found = new Set<number>(); noteStubs(words, found); noteHazards(words, found); noteElements(words, found); noteHazards(words, found); noteWords(words, found); noteHazards(words, found); found.delete(0); return [...found].sort((a, b) => a - b);',
    replace:
      'const found = new Set<number>(); noteStubs(words, found); noteElements(words, found); noteHazards(words, found); noteWords(words, found); noteHazards(words, found); found.delete(0); return [...found].sort((a, b) => a - b);',
    caughtBy: 'a region with the bytes of a semaphore replaces the semaphore of a ticket that moves',
  },
  {
    name: 'an agent does not write its hazard word',
    in: 'setHazard',
    find: 'store32(agent + AGENT_HAZARD, line);',
    replace: '',
    caughtBy: UNLINKED,
  },
  {
    name: 'a cancelling waiter clears its hazard word too early',
    in: 'cancelWait',
    find: 'setHazard(agent, line);',
    replace: 'setHazard(agent, line); clearHazard(agent);',
    caughtBy: UNLINKED,
  },
  {
    name: 'a waiter rolls back the ticket in its stub without a hazard word',
    in: 'withdraw',
    file: 'kernel/cancel-wait.ts',
    find: 'const left = withdrawUnderHazard(agent, element); clearHazard(agent);',
    replace: 'clearHazard(agent); const left = withdrawUnderHazard(agent, element);',
    caughtBy: IN_STUB,
  },
  {
    name: 'the scan omits stubs',
    in: 'references',
    find: 'noteStubs(words, found);',
    replace: '',
    caughtBy: IN_STUB,
  },
  {
    name: 'a recovery frees a block before it ends the waits at the block',
    in: 'freePrimitive',
    find: 'endWaitsOfFreed(context, agent, address, lines); context.heap.retire(context, address);',
    replace: 'context.heap.free(context, address); endWaitsOfFreed(context, agent, address, lines);',
    caughtBy: UNLINKED,
  },
];

export const HEAP_MUTANTS: readonly Mutant[] = [
  {
    name: 'the head of a list does not count its changes',
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
    caughtBy: 'two free blocks, and an agent that takes both and frees one',
  },
  {
    name: 'an agent takes a block off its list without a compare-and-swap',
    in: 'popFreeBlock',
    file: 'kernel/heap.ts',
    find: 'if (cas64(list, head, pair(next, high32(head) + 1)) !== head) return RACED;',
    replace: 'add64(list, minus(pair(next, high32(head) + 1), head));',
    also: { in: 'import ./words.ts', file: 'kernel/heap.ts', find: 'add32', replace: 'add32, add64, minus' },
    caughtBy: 'one free block, two agents',
  },
  {
    name: 'the rest of a split block is missing from the map',
    in: 'split',
    find: 'markStart(rest);',
    replace: '',
    caughtBy: 'an agent splits a block',
  },
  {
    name: 'a split block keeps its old size',
    in: 'split',
    find: 'store32(block + BLOCK_SIZE, size);',
    replace: '',
    caughtBy: 'an agent splits a block',
  },
  {
    name: 'a joined block stays on the map',
    in: 'absorb',
    find: 'clearStart(next);',
    replace: '',
    caughtBy: 'an agent joins neighbours',
  },
  {
    name: 'free() joins blocks that are not neighbours',
    in: 'joinFree',
    find: 'before + words.load32(before + BLOCK_SIZE) ===',
    replace: 'before <',
    caughtBy: 'two agents join neighbours',
  },
  {
    name: 'the rest of a split block names no agent',
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
    caughtBy: 'an agent dies while it takes a block from the end',
  },
  {
    name: 'a recovery frees no blocks',
    in: 'Recovery.run',
    find: 'this.#losses.blocksFreed = freeBlocksInHand(this.#context, this.#record, this.#id);',
    replace: '',
    caughtBy: JOINED,
  },
  {
    name: 'a recovery ignores blocks that were being freed',
    in: 'isInHand',
    find: '(kind === KIND_CLAIMED || kind === KIND_LEAVING)',
    replace: 'kind === KIND_CLAIMED',
    caughtBy: 'an agent dies while it frees a semaphore',
  },
];

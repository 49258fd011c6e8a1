// The source with one line wrong, for the scenarios in which memory is used again.

import type { Mutant } from './mutants.ts';

const TOMBSTONE = 'a tombstone in the hand of another walker';
const UNLINKED = 'a waiter that has not linked gives up while its semaphore is replaced';
const CUT = 'death of an agent that cuts a block';
const JOINED = 'death of an agent that joins neighbours';
const IN_STUB = 'a ticket in a stub is given back while its semaphore is replaced';

export const REUSE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a freed block is used again whatever agents refer to it',
    file: 'arena/heap.ts',
    find: 'if (isReferred(references(words), block, words.load32(block + BLOCK_SIZE))) pushFreeBlock',
    replace: 'if (references(words).length < 0) pushFreeBlock',
    caughtBy: TOMBSTONE,
  },
  {
    name: 'the scan leaves out elements',
    file: 'arena/references.ts',
    find: '  noteElements(words, found);\n',
    replace: '',
    caughtBy: 'a tombstone whose semaphore becomes bytes like a semaphore',
  },
  {
    name: 'the scan leaves out hazard words',
    file: 'arena/references.ts',
    find: 'found.add(words.load32(record + AGENT_HAZARD));',
    replace: 'words.load32(record + AGENT_HAZARD);',
    caughtBy: UNLINKED,
  },
  {
    name: 'the scan does not look at hazard words between stubs and elements',
    file: 'arena/references.ts',
    find: '  noteStubs(words, found);\n  noteHazards(words, found);\n',
    replace: '  noteStubs(words, found);\n',
    caughtBy: 'a ticket moves while its semaphore becomes bytes like a semaphore',
  },
  {
    name: 'the hazard word is not written',
    file: 'kernel/guard.ts',
    find: 'store32(agent + AGENT_HAZARD, line);',
    replace: '',
    caughtBy: UNLINKED,
  },
  {
    name: 'a waiter that gives up clears its hazard word too early',
    file: 'kernel/leave.ts',
    find: '  const left = leaveGuarded(agent, element, entry);\n  unguard(agent);\n',
    replace: '  unguard(agent);\n  const left = leaveGuarded(agent, element, entry);\n',
    caughtBy: UNLINKED,
  },
  {
    name: 'a ticket in a stub is given back without a guard',
    file: 'kernel/wait.ts',
    find: '  const left = withdrawGuarded(agent, element);\n  unguard(agent);\n',
    replace: '  unguard(agent);\n  const left = withdrawGuarded(agent, element);\n',
    caughtBy: IN_STUB,
  },
  {
    name: 'the scan leaves out stubs',
    file: 'arena/references.ts',
    find: '  noteStubs(words, found);\n',
    replace: '',
    caughtBy: IN_STUB,
  },
  {
    name: 'a block is given back before the waits at it are ended',
    file: 'arena/primitive.ts',
    find: '  takeApart(context, agent, address, lines);\n  context.heap.retire(context, address);\n',
    replace: '  context.heap.free(context, address);\n  takeApart(context, agent, address, lines);\n',
    caughtBy: UNLINKED,
  },
  {
    name: 'a list’s head does not count its changes',
    file: 'kernel/heap.ts',
    find: 'if (cas64(list, head, pair(block, high32(head) + 1)) !== head) {',
    replace: 'if (cas64(list, head, pair(block, high32(head))) !== head) {',
    also: {
      file: 'kernel/heap.ts',
      find: 'if (cas64(list, head, pair(next, high32(head) + 1)) !== head) return RACED;',
      replace: 'if (cas64(list, head, pair(next, high32(head))) !== head) return RACED;',
    },
    caughtBy: 'two free blocks, an agent that takes both and gives one back',
  },
  {
    name: 'a block is taken off its list without a compare-and-swap',
    file: 'kernel/heap.ts',
    find: 'if (cas64(list, head, pair(next, high32(head) + 1)) !== head) return RACED;',
    replace: 'add64(list, minus(pair(next, high32(head) + 1), head));',
    also: { file: 'kernel/heap.ts', find: 'import { add32, cas32, cas64,', replace: 'import { add64, minus, add32, cas32, cas64,' },
    caughtBy: 'one free block, two agents',
  },
  {
    name: 'the rest of a block that was cut is not on the map',
    file: 'kernel/heap.ts',
    find: '  markStart(rest);\n',
    replace: '',
    caughtBy: 'a block is cut',
  },
  {
    name: 'a block that was cut keeps its size',
    file: 'kernel/heap.ts',
    find: '  store32(block + BLOCK_SIZE, size);\n  put32(rest',
    replace: '  put32(rest',
    caughtBy: 'a block is cut',
  },
  {
    name: 'a block that was joined stays on the map',
    file: 'kernel/heap.ts',
    find: '  clearStart(next);\n',
    replace: '',
    caughtBy: 'neighbours are joined',
  },
  {
    name: 'blocks are joined that are no neighbours',
    file: 'arena/free-lists.ts',
    find: 'before + words.load32(before + BLOCK_SIZE) === block',
    replace: 'before < block',
    caughtBy: 'two agents join',
  },
  {
    name: 'the rest of a block that was cut names no agent',
    file: 'kernel/heap.ts',
    find: '  put32(rest + BLOCK_OWNER, owner);\n',
    replace: '',
    caughtBy: CUT,
  },
  {
    name: 'a block from a list names no agent',
    file: 'kernel/heap.ts',
    find: '  store32(block + BLOCK_OWNER, owner);\n  store32(block + BLOCK_KIND, kind);\n  return block;',
    replace: '  store32(block + BLOCK_KIND, kind);\n  return block;',
    caughtBy: JOINED,
  },
  {
    name: 'a block from the end names no agent',
    file: 'kernel/heap.ts',
    find: '  put32(block + BLOCK_OWNER, owner);\n',
    replace: '',
    caughtBy: 'death of an agent that takes a block from the end',
  },
  {
    name: 'the recovery frees no blocks',
    file: 'arena/recovery.ts',
    find: '    this.#freeBlocks();\n    this.#leave();',
    replace: '    this.#leave();',
    caughtBy: JOINED,
  },
  {
    name: 'the recovery does not know the blocks that were being freed',
    file: 'arena/heap.ts',
    find: 'return (kind === KIND_CLAIMED || kind === KIND_LEAVING) && words',
    replace: 'return kind === KIND_CLAIMED && words',
    caughtBy: 'death of an agent that frees a semaphore',
  },
];

// The source with one line wrong, for the scenarios in which memory is used again.

import type { Mutant } from './mutants.ts';

const TOMBSTONE = 'a tombstone in the hand of another walker';
const UNLINKED = 'a waiter that has not linked gives up while its semaphore is replaced';
const IN_STUB = 'a ticket in a stub is given back while its semaphore is replaced';

export const REUSE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a freed block is used again whatever agents refer to it',
    file: 'arena/heap.ts',
    find: 'if (isReferred(references(words), block, words.load32(block + BLOCK_SIZE))) shelve',
    replace: 'if (references(words).length < 0) shelve',
    caughtBy: TOMBSTONE,
  },
  {
    name: 'the scan leaves out elements',
    file: 'arena/references.ts',
    find: '  noteElements(words, found);\n',
    replace: '',
    caughtBy: TOMBSTONE,
  },
  {
    name: 'the scan leaves out hazard words',
    file: 'arena/references.ts',
    find: 'found.add(words.load32(record + AGENT_HAZARD));',
    replace: 'words.load32(record + AGENT_HAZARD);',
    caughtBy: UNLINKED,
  },
  {
    name: 'the scan looks at hazard words before the elements only',
    file: 'arena/references.ts',
    find: '  noteElements(words, found);\n  noteHazards(words, found);\n  noteWords(words, found);\n  noteHazards(words, found);\n',
    replace: '  noteElements(words, found);\n  noteWords(words, found);\n',
    caughtBy: UNLINKED,
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
    find: '  takeApart(seat, agent, address, lines);\n  seat.heap.retire(seat, address);\n',
    replace: '  seat.heap.free(seat, address);\n  takeApart(seat, agent, address, lines);\n',
    caughtBy: UNLINKED,
  },
];


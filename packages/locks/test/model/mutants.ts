// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'tts: who goes back to sleep still counts as woken',
    file: 'kernel/tts.ts',
    find: 'unwoken(office) + WAITER',
    replace: 'high32(office) + WAITER',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: who was woken goes back to sleep though the lock is free',
    file: 'kernel/tts.ts',
    find: '  if (ownerOf(office) === 0) return GRANTED;\n',
    replace: '',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: who goes back to sleep is not counted',
    file: 'kernel/tts.ts',
    find: 'unwoken(office) + WAITER',
    replace: 'unwoken(office)',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: an unlock wakes nobody',
    file: 'kernel/tts.ts',
    find: 'if (waiters === 0 || isWoken(office)) {',
    replace: 'if (waiters >= 0) {',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: an unlock promises a permit and gives none',
    file: 'kernel/tts.ts',
    find: 'return announce(lock, agent, add64(lock + GRANT, wide(1)), 1);',
    replace: 'return announce(lock, agent, load64(lock + GRANT), 1);',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: who was woken and gets the lock still counts as woken',
    file: 'kernel/tts.ts',
    find: 'pair(id, unwoken(office))',
    replace: 'plus(office, wide(id))',
    caughtBy: 'tts, three agents',
  },
  {
    name: 'tts: who was woken gives up though the lock is free',
    file: 'kernel/tts.ts',
    find: '  if (ownerOf(office) === 0) return barge(lock, id) === TAKEN ? TAKEN : RACED;\n',
    replace: '',
    caughtBy: 'tts, both of two may give up',
  },
  {
    name: 'tts: a waiter is counted though the lock became free',
    file: 'kernel/tts.ts',
    find: 'if (cas64(lock + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;',
    replace: 'add64(lock + OFFICE, pair(0, WAITER));',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'a queued lock says that it was handed over before it is',
    file: 'kernel/queued.ts',
    find: '  if (cas64(lock + OFFICE, office, pair(to, rest | kept)) !== office) {',
    replace:
      '  if (!gone) store32(element + GATE, GRANTED);\n' +
      '  if (cas64(lock + OFFICE, office, pair(to, rest | kept)) !== office) {',
    caughtBy: 'lifo, one comes before two that wait',
  },
  {
    name: 'a queued lock is handed over without a promise',
    file: 'kernel/queued.ts',
    find: 'return cas32(element + GATE, gate, gate === ABANDONED ? SPENT : PROMISED) === gate ? gate : FREE;',
    replace: 'return gate;',
    caughtBy: 'mcs, the first of two leaves',
  },
  {
    name: 'a promise stays though another one gets the lock',
    file: 'kernel/queued.ts',
    find: '    store32(element + GATE, gate);\n',
    replace: '',
    caughtBy: 'lifo, who leaves need not wait for an owner',
  },
  {
    name: 'a tombstone comes out and nobody gets its element',
    file: 'kernel/queued.ts',
    find: '    discard(element);\n',
    replace: '',
    caughtBy: 'reciprocating, both of two leave',
  },
  {
    name: 'the element of a tombstone is free before it comes out',
    file: 'kernel/queued.ts',
    find: '  const gone = gate === ABANDONED;\n',
    replace: '  const gone = gate === ABANDONED;\n  if (gone) discard(element);\n',
    caughtBy: 'mcs, one leaves twice',
  },
  {
    name: 'mcs: the successor is written after the handover',
    file: 'kernel/queued.ts',
    find:
      '  store32(lock + SUCCESSOR, next);\n' +
      '  return pass(lock, agent, office, first, gate, (first === last ? 0 : last) | notice, first);',
    replace:
      '  const passed = pass(lock, agent, office, first, gate, (first === last ? 0 : last) | notice, 0);\n' +
      '  if (passed !== RACED) store32(lock + SUCCESSOR, next);\n  return passed;',
    caughtBy: 'mcs, one enters behind one that waits',
  },
  {
    name: 'mcs: an owner does not wait until the next one is linked',
    file: 'kernel/queued.ts',
    find: '  if (next === 0 && first !== last) return RACED;\n',
    replace: '',
    caughtBy: 'mcs, one enters behind one that waits',
  },
  {
    name: 'reciprocating: the rest of a segment is forgotten',
    file: 'kernel/queued.ts',
    find: ' | (next !== 0 ? SEGMENT : 0)',
    replace: '',
    caughtBy: 'reciprocating, the first of two leaves',
  },
  {
    name: 'reciprocating: the next segment is taken before the last one is served',
    file: 'kernel/queued.ts',
    find: '  if ((high32(office) & SEGMENT) === 0) {\n    const',
    replace: '  if (lastOf(office) !== 0) {\n    const',
    caughtBy: 'reciprocating, one comes before two that wait',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a dead agent that never knew counts as an owner',
    file: 'kernel/recover.ts',
    find: '(FLAG_MUTEX | FLAG_BARGING | FLAG_QUEUED)',
    replace: 'FLAG_MUTEX',
    caughtBy: 'mcs, death of the first of two',
  },
  {
    name: 'that an owner never knew is forgotten when a tombstone comes out',
    file: 'kernel/queued.ts',
    find: 'const kept = gone ? high32(office) & UNSEEN : 0;',
    replace: 'const kept = 0;',
    caughtBy: 'mcs, death of the first of two, the last leaves',
  },
  {
    name: 'tts: a dead agent that was woken counts as woken for ever',
    file: 'kernel/leave.ts',
    find: 'const turn = unwake(sem, get32(element + OWNER));',
    replace: 'const turn = OUT;',
    caughtBy: 'tts, death of the first of two',
  },
  {
    name: 'who was handed the lock by a dead agent is not woken',
    file: 'kernel/queued.ts',
    find: 'if (gate === PARKED) put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'lifo, death of one of two',
  },
  {
    // The first version did this: the owner may die, and be recovered, in between.
    name: 'ticket: whether there is notice is asked before whether the lock is free',
    file: 'kernel/ticket-lock.ts',
    find:
      '  if (minus(load64(lock + GRANT), ticket) < wide(1)) return WAITING;\n' +
      "  // After the lock was seen free: an owner's death is noted before the lock is passed on.\n" +
      '  if (load32(lock + HEALTH) !== CONSISTENT) return WAITING;\n',
    replace:
      '  if (load32(lock + HEALTH) !== CONSISTENT) return WAITING;\n' +
      '  if (minus(load64(lock + GRANT), ticket) < wide(1)) return WAITING;\n',
    caughtBy: 'ticket, death of one of two',
  },
];

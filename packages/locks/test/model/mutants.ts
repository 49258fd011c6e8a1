// The source with one line wrong. Each must be caught by the case that it names: a model that no mutant fails proves nothing.
// Files are named from the core's src.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'tts: who goes back to sleep still counts as woken',
    in: 'requeue',
    find: 'unwoken(office)',
    replace: 'high32(office)',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: who was woken goes back to sleep though the lock is free',
    in: 'requeue',
    find: 'if (ownerOf(office) === 0) return GRANTED;',
    replace: '',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: who goes back to sleep is not counted',
    in: 'requeue',
    find: 'unwoken(office) + WAITER',
    replace: 'unwoken(office)',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: an unlock wakes nobody',
    in: 'free',
    find: 'waiters === 0 || isWoken(office)',
    replace: 'waiters >= 0',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: an unlock promises a permit and gives none',
    in: 'free',
    find: 'add64(lock + GRANT, wide(1)',
    replace: 'load64(lock + GRANT',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'tts: who was woken and gets the lock still counts as woken',
    in: 'barge',
    find: 'pair(id, unwoken(office)',
    replace: 'plus(office, wide(id)',
    caughtBy: 'tts, three agents',
  },
  {
    name: 'tts: who was woken gives up though the lock is free',
    in: 'unwake',
    find: 'if (ownerOf(office) === 0) return barge(lock, id) === TAKEN ? TAKEN : RACED;',
    replace: '',
    caughtBy: 'tts, both of two may give up',
  },
  {
    name: 'tts: a waiter is counted though the lock became free',
    in: 'enqueueAtTts',
    find: 'if (cas64(lock + OFFICE, office, plus(office, pair(0, WAITER))) !== office) return RACED;',
    replace: 'add64(lock + OFFICE, pair(0, WAITER));',
    caughtBy: 'tts, two agents',
  },
  {
    name: 'a queued lock says that it was handed over before it is',
    in: 'pass',
    find: 'const kept = gone ? high32(office) & UNSEEN : 0;',
    replace: 'const kept = gone ? high32(office) & UNSEEN : 0; if (!gone) store32(element + GATE, GRANTED);',
    caughtBy: 'lifo, one comes before two that wait',
  },
  {
    name: 'a queued lock is handed over without a promise',
    in: 'claim',
    file: 'kernel/queued.ts',
    find: 'cas32(element + GATE, gate, gate === ABANDONED ? SPENT : PROMISED) === gate ? gate : FREE',
    replace: 'gate',
    caughtBy: 'mcs, the first of two leaves',
  },
  {
    name: 'a promise stays though another one gets the lock',
    in: 'pass',
    find: 'store32(element + GATE, gate);',
    replace: '',
    caughtBy: 'lifo, who leaves need not wait for an owner',
  },
  {
    name: 'a tombstone comes out and nobody gets its element',
    in: 'pass',
    find: 'discard(element);',
    replace: '',
    caughtBy: 'reciprocating, both of two leave',
  },
  {
    name: 'the element of a tombstone is free before it comes out',
    in: 'pass',
    find: 'const gone = gate === ABANDONED;',
    replace: 'const gone = gate === ABANDONED; if (gone) discard(element);',
    caughtBy: 'mcs, one leaves twice',
  },
  {
    name: 'mcs: the successor is written after the handover',
    in: 'passToFirst',
    find: 'store32(lock + SUCCESSOR, next); return pass(lock, agent, office, first, gate, (first === last ? 0 : last) | notice, first);',
    replace: 'const passed = pass(lock, agent, office, first, gate, (first === last ? 0 : last) | notice, 0); if (passed !== RACED) store32(lock + SUCCESSOR, next); return passed;',
    caughtBy: 'mcs, one enters behind one that waits',
  },
  {
    name: 'mcs: an owner does not wait until the next one is linked',
    in: 'passToFirst',
    find: 'if (next === 0 && first !== last) return RACED;',
    replace: '',
    caughtBy: 'mcs, one enters behind one that waits',
  },
  {
    name: 'reciprocating: the rest of a segment is forgotten',
    in: 'passToSegment',
    find: 'last | notice | (next !== 0 ? SEGMENT : 0)',
    replace: 'last | notice',
    caughtBy: 'reciprocating, the first of two leaves',
  },
  {
    name: 'reciprocating: the next segment is taken before the last one is served',
    in: 'passToSegment',
    find: '(high32(office) & SEGMENT) ===',
    replace: 'lastOf(office) !==',
    caughtBy: 'reciprocating, one comes before two that wait',
  },
];

export const DEATH_MUTANTS: readonly Mutant[] = [
  {
    name: 'a dead agent that never knew counts as an owner',
    in: 'noteUnseen',
    find: '(FLAG_MUTEX | FLAG_BARGING | FLAG_QUEUED)',
    replace: 'FLAG_MUTEX',
    caughtBy: 'mcs, death of the first of two',
  },
  {
    name: 'that an owner never knew is forgotten when a tombstone comes out',
    in: 'pass',
    find: 'gone ? high32(office) & UNSEEN : 0',
    replace: '0',
    caughtBy: 'mcs, death of the first of two, the last leaves',
  },
  {
    name: 'tts: a dead agent that was woken counts as woken for ever',
    in: 'competeOnce',
    find: 'unwake(sem, get32(element + OWNER))',
    replace: 'CANCELLED',
    caughtBy: 'tts, death of the first of two',
  },
  {
    name: 'who was handed the lock by a dead agent is not woken',
    in: 'pass',
    find: 'if (gate === PARKED) put32(agent + AGENT_NOTIFY, element);',
    replace: '',
    caughtBy: 'lifo, death of one of two',
  },
  {
    // The first version did this: the owner may die, and be recovered, in between.
    name: 'ticket: whether there is notice is asked before whether the lock is free',
    in: 'lockTicket',
    find: 'if (minus(load64(lock + GRANT), ticket) < wide(1)) return WAITING; if (load32(lock + HEALTH) !== CONSISTENT) return WAITING;',
    replace: 'if (load32(lock + HEALTH) !== CONSISTENT) return WAITING; if (minus(load64(lock + GRANT), ticket) < wide(1)) return WAITING;',
    caughtBy: 'ticket, death of one of two',
  },
];

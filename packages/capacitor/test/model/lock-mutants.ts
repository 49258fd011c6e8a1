// Mutants of turnstiles and of the lock behind a capacitor: each changes one line, and the case that it names must
// catch it.

import type { Mutant } from '../../../core/test/model/mutants.ts';

export const TURNSTILE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a turn never ends',
    in: 'handOverMutex',
    file: 'mutex/src/kernel/mutex.ts',
    find: 'ends === 0 &&',
    replace: '',
    caughtBy: 'turnstile, B = 1, an agent comes back',
  },
  {
    name: 'passes of a turn are not counted',
    in: 'freeInTurn',
    file: 'mutex/src/kernel/mutex.ts',
    find: 'put32(mutex + TURN, turn - 1);',
    replace: '',
    caughtBy: 'turnstile, B = 2, an agent comes back',
  },
  {
    name: 'a late agent takes over the turn of another',
    in: 'OwnTurn.#isOver',
    find: 'if (!begins && mayChangeHands === false) return true;',
    replace: '',
    caughtBy: 'turnstile, an agent arrives late in the turn of another',
  },
  {
    name: 'an agent enters in the turn of another agent',
    in: 'enqueueAtTurnstile',
    find: 'NEVER_TAKES',
    replace: '-3',
    caughtBy: 'turnstile, a non-blocking arrival in the turn of another agent',
  },
  {
    name: 'an agent that comes back does not check whose turn it is',
    in: 'takeInTurn',
    file: 'mutex/src/kernel/mutex.ts',
    find: '!isTurnOf(load32(mutex + TURN), id)',
    replace: 'false',
    caughtBy: 'turnstile, an agent comes back in the turn of another',
  },
  {
    name: 'the successor does not check whether the turn has ended',
    in: 'parkInTurns',
    find: 'kind.isFree(office) || kind.isHanded(office) ||',
    replace: 'kind.isHanded(office) ||',
    caughtBy: 'turnstile, an agent departs and does not come back',
  },
  {
    name: 'the departure of one task ends the pass of another task',
    in: 'Turnstile.depart',
    find: 'if (turn.inside > 0) return;',
    replace: '',
    caughtBy: 'turnstile, an agent with two tasks inside',
  },
  {
    name: 'a task that enters beside another task counts twice',
    in: 'Turnstile.#enterInOwnTurn',
    find: 'turn.inside += 1;',
    replace: 'turn.inside += 1 + turn.inside;',
    caughtBy: 'turnstile, an agent with two tasks inside',
  },
  {
    name: 'an agent that waited does not count its task',
    in: 'Turnstile.#wait',
    find: 'this.#turn.inside = 1;',
    replace: 'this.#turn.inside = 2;',
    caughtBy: 'turnstile, B = 1, two agents',
  },
  {
    name: 'a hand-over is lost when the turn ends and the owner dies',
    in: 'departTurnstileForDead',
    find: 'return handOverMutex(turnstile, agent, get32(agent + OWNER), 1);',
    replace: 'handOverMutex(turnstile, agent, get32(agent + OWNER), 1); return 0;',
    caughtBy: 'turnstile, death of an agent inside or outside',
  },
  {
    name: 'the recovery does not depart for a dead agent',
    in: 'departTurnstileForDead',
    find: 'handOverMutex(turnstile, agent, get32(agent + OWNER), 1)',
    replace: '0',
    caughtBy: 'turnstile, death of an agent inside or outside',
  },
  {
    name: 'a dead successor is not replaced',
    in: 'cancelUnderHazard',
    file: 'core/src/kernel/competing-lock.ts',
    find: 'if (office.isOut(element)) return competeOnce(office, agent, element, entry, GRANTED);',
    replace: 'if (office.isOut(element)) { put32(element + GATE, FREE); return CANCELLED; }',
    caughtBy: 'turnstile, death of a successor',
  },
];

export const LOCK_MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent that the inner lock refused does not depart',
    in: 'GatedEntrance.failed',
    find: 'if (through) this.#gate.depart();',
    replace: '',
    caughtBy: 'lock, the inner lock refuses',
  },
  {
    name: 'an agent that cancelled at the inner lock does not depart',
    in: 'GatedEntrance.tryInner',
    find: 'else if (through) this.#gate.depart();',
    replace: '',
    caughtBy: 'lock, B = 2, one agent may time out',
  },
  {
    name: 'an agent that bypassed the capacitor departs',
    in: 'CapacitorLock.unlock',
    find: 'if (routes.leave()) this.#gate.depart();',
    replace: 'routes.leave(); this.#gate.depart();',
    caughtBy: 'lock, one agent bypasses the capacitor',
  },
  {
    name: 'an agent that skips does not check for other agents',
    in: 'GatedEntrance.skips',
    find: 'this.#skips && this.#gate.empty',
    replace: 'this.#skips',
    caughtBy: 'lock, one of two agents skips',
  },
  {
    // An earlier version did this.
    name: 'an agent that skips loads TALLY before the tickets',
    in: 'isCapacitorEmpty',
    find: 'const tally = load32(capacitor + TALLY); const free = minus(grant, load64(capacitor + TICKET));',
    replace: 'const free = minus(grant, load64(capacitor + TICKET)); const tally = load32(capacitor + TALLY);',
    caughtBy: 'lock, one of three agents skips',
  },
];

// As mutants.ts, of turnstiles and of the lock behind a capacitor.

import type { Mutant } from '../../../core/test/model/mutants.ts';


export const TURNSTILE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a turn is ended whether the lease was got or not',
    in: 'evict',
    find: 'if (cas32(turnstile + LEASE, id, 0) !== id) return RACED;',
    replace: 'cas32(turnstile + LEASE, id, 0);',
    caughtBy: 'turnstile, B = 1, comes back',
  },
  {
    name: 'an agent that comes back does not look whether its turn was ended',
    in: 'resume',
    find: 'if (cas32(turnstile + LEASE, id, 0) !== id) return WAITING;',
    replace: 'store32(turnstile + LEASE, 0);',
    caughtBy: 'turnstile, B = 1, comes back',
  },
  {
    name: 'a lease is not put back when another agent comes meanwhile',
    in: 'evict',
    find: 'if (passed === RACED) cas32(turnstile + LEASE, 0, id);',
    replace: '',
    caughtBy: 'turnstile, one comes when a turn is ended',
  },
  {
    name: 'a dead agent is still expected back',
    in: 'endTurnForDead',
    find: 'cas32(turnstile + LEASE, id, 0);',
    replace: '',
    caughtBy: 'turnstile, death away, and no agent checks it',
  },
];

export const LOCK_MUTANTS: readonly Mutant[] = [
  {
    name: 'an agent that was refused behind the capacitor stays inside',
    in: 'CapacitorLock.#failed',
    find: 'if (through) this.#gate.depart();',
    replace: '',
    caughtBy: 'lock, the inner one refuses',
  },
  {
    name: 'an agent that cancelled behind the capacitor stays inside',
    in: 'CapacitorLock.#tryInner',
    find: 'else if (through) this.#gate.depart();',
    replace: '',
    caughtBy: 'lock, B = 2, one may give up',
  },
  {
    name: 'an agent that bypassed the capacitor departs',
    in: 'CapacitorLock.unlock',
    find: 'if (routes.leave()) this.#gate.depart();',
    replace: 'routes.leave(); this.#gate.depart();',
    caughtBy: 'lock, one way around',
  },
  {
    name: 'an agent that skips does not look for others',
    in: 'CapacitorLock.lock',
    find: 'this.#skips && this.#gate.empty',
    replace: 'this.#skips',
    caughtBy: 'lock, one skips',
  },
  {
    // The first version did this.
    name: 'an agent that skips counts departures that came after its look at the tickets',
    in: 'isEmpty',
    find: 'const tally = load32(capacitor + TALLY); const free = minus(grant, load64(capacitor + TICKET));',
    replace: 'const free = minus(grant, load64(capacitor + TICKET)); const tally = load32(capacitor + TALLY);',
    caughtBy: 'lock, one skips, two do not',
  },
];

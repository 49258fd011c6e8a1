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
    name: 'who comes back does not look whether its turn was ended',
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
    caughtBy: 'turnstile, death away, and nobody looks after it',
  },
];

export const LOCK_MUTANTS: readonly Mutant[] = [
  {
    name: 'who was refused behind the capacitor stays inside',
    in: 'CapacitorLock.#failed',
    find: 'if (through) this.#gate.depart();',
    replace: '',
    caughtBy: 'lock, the inner one refuses',
  },
  {
    name: 'who gave up behind the capacitor stays inside',
    in: 'CapacitorLock.#tryInner',
    find: 'else if (through) this.#gate.depart();',
    replace: '',
    caughtBy: 'lock, B = 2, one may give up',
  },
  {
    name: 'who went around departs',
    in: 'CapacitorLock.unlock',
    find: 'if (routes.leave()) this.#gate.depart();',
    replace: 'routes.leave(); this.#gate.depart();',
    caughtBy: 'lock, one way around',
  },
  {
    name: 'who skips does not look whether anybody is there',
    in: 'CapacitorLock.lock',
    find: 'this.#skips && this.#gate.empty',
    replace: 'this.#skips',
    caughtBy: 'lock, one skips',
  },
  {
    // The first version did this.
    name: 'who skips counts departures of after its look at the tickets',
    in: 'isEmpty',
    find: 'const tally = load32(capacitor + TALLY); const free = minus(grant, load64(capacitor + TICKET));',
    replace: 'const free = minus(grant, load64(capacitor + TICKET)); const tally = load32(capacitor + TALLY);',
    caughtBy: 'lock, one skips, two do not',
  },
];

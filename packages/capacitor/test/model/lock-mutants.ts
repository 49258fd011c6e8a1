// As mutants.ts, of turnstiles and of the lock behind a capacitor.

import type { Mutant } from '../../../core/test/model/mutants.ts';

const LOCK = '../../capacitor/src/capacitor-lock.ts';

export const TURNSTILE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a turn is ended whether the lease was got or not',
    file: 'kernel/turnstile.ts',
    find: '  if (cas32(turnstile + LEASE, id, 0) !== id) return RACED;\n',
    replace: '  cas32(turnstile + LEASE, id, 0);\n',
    caughtBy: 'turnstile, B = 1, comes back',
  },
  {
    name: 'who comes back does not look whether its turn was ended',
    file: 'kernel/turnstile.ts',
    find: '  if (cas32(turnstile + LEASE, id, 0) !== id) return WAITING;\n',
    replace: '  store32(turnstile + LEASE, 0);\n',
    caughtBy: 'turnstile, B = 1, comes back',
  },
  {
    name: 'a lease is not put back when another agent comes meanwhile',
    file: 'kernel/turnstile.ts',
    find: '  if (passed === RACED) cas32(turnstile + LEASE, 0, id);\n',
    replace: '',
    caughtBy: 'turnstile, one comes when a turn is ended',
  },
  {
    name: 'a dead agent is still expected back',
    file: 'kernel/recover.ts',
    find: 'if ((flags & FLAG_TURNSTILE) !== 0) cas32(lock + LEASE, id, 0);\n  else if',
    replace: 'if ((flags & FLAG_TURNSTILE) !== 0) put32(lock + DEPTH, 0);\n  else if',
    caughtBy: 'turnstile, death away, and nobody looks after it',
  },
];

export const LOCK_MUTANTS: readonly Mutant[] = [
  {
    name: 'who was refused behind the capacitor stays inside',
    file: LOCK,
    find: '      if (through) this.#gate.depart();\n',
    replace: '',
    caughtBy: 'lock, the inner one refuses',
  },
  {
    name: 'who gave up behind the capacitor stays inside',
    file: LOCK,
    find: '    else this.#gate.depart();\n    return locked;',
    replace: '    return locked;',
    caughtBy: 'lock, B = 2, one may give up',
  },
  {
    name: 'who went around departs',
    file: LOCK,
    find: 'if (routes.leave()) this.#gate.depart();',
    replace: 'routes.leave();\n    this.#gate.depart();',
    caughtBy: 'lock, one way around',
  },
  {
    name: 'who skips does not look whether anybody is there',
    file: LOCK,
    find: 'if (this.#skips && this.#gate.empty && this.#tryAround(0)) return;\n    this.#gate.arrive();',
    replace: 'if (this.#skips && this.#tryAround(0)) return;\n    this.#gate.arrive();',
    caughtBy: 'lock, one skips',
  },
  {
    // The first version did this.
    name: 'who skips counts departures of after its look at the tickets',
    file: 'kernel/capacitor.ts',
    find: '  const tally = load32(capacitor + TALLY);\n  const free = minus(grant, load64(capacitor + TICKET));\n',
    replace: '  const free = minus(grant, load64(capacitor + TICKET));\n  const tally = load32(capacitor + TALLY);\n',
    caughtBy: 'lock, one skips, two do not',
  },
];

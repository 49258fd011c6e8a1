// Scenarios of requests for one name of a lock manager.

import { soakSize } from '@sluice/harness';
import type { Options } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { LOCKS_DEATH_MUTANTS, LOCKS_MUTANTS } from './locks-mutants.ts';
import { bury, LocksWorld, requests, type LocksBody, type LocksCore, type Plan } from './locks-world.ts';

const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
/** One preemption more in the soak, which costs minutes. */
const FEW: Options = { preemptions: soakSize(1, 2) };

const STAYS = { stays: true } as const;
const ROBBED = { isRobbed: true };
const THIEF: LocksBody = requests([{ steal: true }]);
const THIEF_OF_A_THIEF: LocksBody = requests([{ steal: true }], ROBBED);

type Make = (name: string, bodies: readonly LocksBody[], options: Options, more?: Partial<Plan>) => Case;

function maker(core: LocksCore): Make {
  return (name, bodies, options, more = {}) => new LocksWorld(core, { name, bodies, options, ...more }).case;
}

export function locksCases(core: LocksCore): Case[] {
  const make = maker(core);
  return [
    make('two agents request a lock', [requests([{}]), requests([{}])], TWO),
    make('two agents request a lock that stays', [requests([{}]), requests([{}])], TWO, STAYS),
    make('one agent makes two requests beside another', [requests([{}, {}]), requests([{}])], FEW, STAYS),
    make('a shared request beside two', [requests([{ mode: 'shared' }, {}]), requests([{ mode: 'shared' }])], FEW),
    make('a request holds the lock for a turn', [requests([{ holds: 'for a turn' }]), requests([{}])], TWO, STAYS),
    make('a request that wants the lock only at once', [requests([{ ifAvailable: true }]), requests([{}])], TWO),
    make(
      'a request that wants the lock only at once while its agent holds it',
      [requests([{ holds: 'until the next is over' }, { ifAvailable: true }])],
      TWO,
    ),
    make('a request may be aborted', [requests([{ mayAbort: true }]), requests([{ holds: 'for a turn' }])], TWO),
    make(
      'the first of two requests of an agent may be aborted',
      [requests([{ mayAbort: true }, {}]), requests([{ holds: 'for a turn' }])],
      FEW,
      STAYS,
    ),
    make('a lock is stolen', [requests([{ holds: 'for a turn' }], ROBBED), THIEF], TWO),
    make('a lock that stays is stolen', [requests([{ holds: 'for a turn' }], ROBBED), THIEF], TWO, STAYS),
    make(
      'the holder learns of the theft while it holds the lock',
      [requests([{ holds: 'until it is stolen' }], ROBBED), THIEF],
      TWO,
    ),
    make(
      'a lock is stolen while a request of its holder waits',
      [requests([{ holds: 'for a turn' }, {}], ROBBED), THIEF],
      FEW,
    ),
    make(
      'a lock is stolen while a request of its holder waits, and another comes later',
      [requests([{ holds: 'for a turn' }, {}, { isLater: true }], ROBBED), THIEF],
      FEW,
    ),
    make(
      'a lock is stolen while a request of its holder waits, and another wants it only at once',
      [requests([{ holds: 'for a turn' }, {}, { isLater: true, ifAvailable: true }], ROBBED), THIEF],
      FEW,
    ),
    make(
      'a lock is stolen twice while two requests of its holder wait',
      [requests([{ holds: 'for a turn' }, {}, {}], ROBBED), THIEF_OF_A_THIEF, THIEF_OF_A_THIEF],
      ONE,
      STAYS,
    ),
    make(
      'a lock is stolen while a request of another agent waits',
      [requests([{ holds: 'for a turn' }], ROBBED), requests([{}], ROBBED), THIEF],
      FEW,
    ),
    make(
      'a lock is stolen while a request may be aborted',
      [requests([{ holds: 'for a turn' }, { mayAbort: true }], ROBBED), THIEF],
      FEW,
    ),
    make(
      'a shared lock is stolen',
      [
        requests([{ mode: 'shared', holds: 'for a turn' }], ROBBED),
        requests([{ mode: 'shared', holds: 'for a turn' }], ROBBED),
        THIEF,
      ],
      ONE,
      STAYS,
    ),
    make('a thief is robbed', [requests([{ steal: true }], ROBBED), requests([{ steal: true }], ROBBED)], TWO),
  ];
}

export function locksDeathCases(core: LocksCore): Case[] {
  const make = maker(core);
  const first = { mayCrash: [0] };
  return [
    make('a holder may die', [requests([{ holds: 'for a turn' }]), requests([{}]), bury(0)], ONE, first),
    make('a holder of a lock that stays may die', [requests([{ holds: 'for a turn' }]), requests([{}]), bury(0)], ONE, {
      ...first,
      ...STAYS,
    }),
    make('an agent with two requests may die', [requests([{}, {}]), requests([{}]), bury(0)], ONE, first),
    make(
      'an agent may die while its request may be aborted',
      [requests([{ mayAbort: true }]), requests([{}]), bury(0)],
      ONE,
      {
        ...first,
        ...STAYS,
      },
    ),
    make(
      'a holder whose lock is stolen may die',
      [requests([{ holds: 'for a turn' }], ROBBED), THIEF, bury(0, ROBBED)],
      ONE,
      {
        ...first,
        ...STAYS,
      },
    ),
    make('a thief may die', [THIEF, requests([{ holds: 'for a turn' }], ROBBED), bury(0)], ONE, { ...first, ...STAYS }),
    make(
      'a thief may die while a request waits',
      [THIEF, requests([{ holds: 'for a turn' }, {}], ROBBED), bury(0)],
      ONE,
      first,
    ),
  ];
}

const ENTRY = new URL('locks-entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'lock manager', entry: ENTRY, lowered: true, cases: locksCases, mutants: LOCKS_MUTANTS },
  { name: 'lock manager, death', entry: ENTRY, lowered: true, cases: locksDeathCases, mutants: LOCKS_DEATH_MUTANTS },
];

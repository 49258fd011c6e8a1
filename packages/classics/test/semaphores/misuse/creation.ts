// Wrong arguments of create() and from() of a member, in addition to those of all primitives.

import { Arena } from '@sluice/core';
import { creationRows } from '../../../../core/test/support/misuse-creation.ts';
import { wrong } from '../../../../core/test/support/misuse-table.ts';
import { PrioritySemaphore } from '../../../../semaphores/src/index.ts';
import { MEMBERS, type Member, type MemberClass } from '../support/members.ts';
import type { MemberKind } from './kinds.ts';
import type { MemberRow, State } from './states.ts';

type Wrong = readonly (readonly [written: string, permits: unknown, options: object, error: string, says: string])[];

const PERMITS: Wrong = [
  ['-1', -1, {}, 'RangeError', 'permits must be a whole number from 0 to 2147483647: received -1'],
  ['1.5', 1.5, {}, 'RangeError', 'received 1.5'],
  ['NaN', Number.NaN, {}, 'RangeError', 'received NaN'],
  ['2 ** 31', 2 ** 31, {}, 'RangeError', 'received 2147483648'],
  ['"1"', '1', {}, 'TypeError', 'permits must be a number: received "1"'],
  ['1n', 1n, {}, 'TypeError', 'received 1n'],
  ['', undefined, {}, 'TypeError', 'permits must be a number: received undefined'],
  ['6, { max: 5 }', 6, { max: 5 }, 'RangeError', 'permits must be a whole number from 0 to 5: received 6'],
  ['0, { max: 0 }', 0, { max: 0 }, 'RangeError', 'max must be a whole number from 1 to 2147483647: received 0'],
  ['0, { max: -1 }', 0, { max: -1 }, 'RangeError', 'received -1'],
  ['0, { max: 2 ** 31 }', 0, { max: 2 ** 31 }, 'RangeError', 'received 2147483648'],
  ['0, { max: 1.5 }', 0, { max: 1.5 }, 'RangeError', 'received 1.5'],
  ['0, { max: "5" }', 0, { max: '5' }, 'TypeError', 'max must be a number: received "5"'],
  ['0, { max: null }', 0, { max: null }, 'TypeError', 'max must be a number: received null'],
  ['1, { recovery: 1 }', 1, { recovery: 1 }, 'TypeError', 'recovery must be a boolean: received 1'],
  [
    '1, { maxx: 3 }',
    1,
    { maxx: 3 },
    'TypeError',
    'Unknown option "maxx": expected one of max, arena, name, policy, recovery',
  ],
  ['1, { Recovery: false }', 1, { Recovery: false }, 'TypeError', 'Unknown option "Recovery"'],
  ['1, { recovery: null }', 1, { recovery: null }, 'TypeError', 'recovery must be a boolean: received null'],
];

const INNER: Wrong = [
  [
    '1, { iner: "chain" }',
    1,
    { iner: 'chain' },
    'TypeError',
    'Unknown option "iner": expected one of max, arena, name, policy, recovery, ',
  ],
  [
    '1, { inner: "mutex" }',
    1,
    { inner: 'mutex' },
    'RangeError',
    'inner must be one of semaphore, ticket, waiting-array',
  ],
  ['1, { inner: "Chain" }', 1, { inner: 'Chain' }, 'RangeError', 'received "Chain"'],
  ['1, { inner: 3 }', 1, { inner: 3 }, 'TypeError', 'inner must be a string: received 3'],
  ['1, { inner: null }', 1, { inner: null }, 'TypeError', 'inner must be a string: received null'],
];

const OWN: Readonly<Record<string, Wrong>> = {
  WaitingArraySemaphore: [
    [
      '1, { longTermThreshold: -1 }',
      1,
      { longTermThreshold: -1 },
      'RangeError',
      'longTermThreshold must be a whole number from 0 to 1024: received -1',
    ],
    ['1, { hash: "odd" }', 1, { hash: 'odd' }, 'RangeError', 'hash must be one of linear, product, pairs, pages, gray'],
    [
      '1, { slots: "waiters" }',
      1,
      { slots: 'waiters' },
      'RangeError',
      'slots must be count or waiter: received "waiters"',
    ],
    ['1, { slots: 1 }', 1, { slots: 1 }, 'TypeError', 'slots must be a string: received 1'],
    ['1, { hash: 1 }', 1, { hash: 1 }, 'TypeError', 'hash must be a string: received 1'],
    ['1, { longTermThreshold: 1025 }', 1, { longTermThreshold: 1025 }, 'RangeError', 'received 1025'],
    ['1, { longTermThreshold: 0.5 }', 1, { longTermThreshold: 0.5 }, 'RangeError', 'received 0.5'],
    [
      '1, { longTermThreshold: "1" }',
      1,
      { longTermThreshold: '1' },
      'TypeError',
      'longTermThreshold must be a number: received "1"',
    ],
    ['1, { conservative: 1 }', 1, { conservative: 1 }, 'TypeError', 'conservative must be a boolean: received 1'],
    [
      '1, { conservativ: true }',
      1,
      { conservativ: true },
      'TypeError',
      'recovery, longTermThreshold, conservative, hash, slots.',
    ],
    [
      '1, { conservative: true, max: 5 }',
      1,
      { conservative: true, max: 5 },
      'TypeError',
      'leave out max, or conservative',
    ],
  ],
  LocationSemaphore: [
    ['1, { conservative: 1 }', 1, { conservative: 1 }, 'TypeError', 'conservative must be a boolean: received 1'],
    ['1, { conservativ: true }', 1, { conservativ: true }, 'TypeError', 'recovery, conservative.'],
    [
      '1, { conservative: true, max: 5 }',
      1,
      { conservative: true, max: 5 },
      'TypeError',
      'leave out max, or conservative',
    ],
  ],
  LightweightSemaphore: INNER,
  PrioritySemaphore: [
    ['1, { ageing: 0 }', 1, { ageing: 0 }, 'RangeError', 'ageing must be a whole number from 1 to 1000000: received 0'],
    ['1, { ageing: 1.5 }', 1, { ageing: 1.5 }, 'RangeError', 'received 1.5'],
    ['1, { ageing: Infinity }', 1, { ageing: Infinity }, 'RangeError', 'received Infinity'],
    ['1, { ageing: "16" }', 1, { ageing: '16' }, 'TypeError', 'ageing must be a number: received "16"'],
    ['1, { priority: 8 }', 1, { priority: 8 }, 'RangeError', 'priority must be a whole number from 0 to 7: received 8'],
    ['1, { priority: -1 }', 1, { priority: -1 }, 'RangeError', 'received -1'],
    ['1, { priority: null }', 1, { priority: null }, 'TypeError', 'priority must be a number: received null'],
    ['1, { inner: "chain" }', 1, { inner: 'chain' }, 'TypeError', 'recovery, priority, ageing.'],
  ],
  MultilaneSemaphore: [
    ...INNER,
    ['1, { lanes: 0 }', 1, { lanes: 0 }, 'RangeError', 'lanes must be a whole number from 1 to 1024: received 0'],
    ['1, { lanes: -4 }', 1, { lanes: -4 }, 'RangeError', 'received -4'],
    ['1, { lanes: 3 }', 1, { lanes: 3 }, 'RangeError', 'lanes must be a power of two: received 3'],
    ['1, { lanes: 2048 }', 1, { lanes: 2048 }, 'RangeError', 'received 2048'],
    ['1, { lanes: 2.5 }', 1, { lanes: 2.5 }, 'RangeError', 'received 2.5'],
    ['1, { lanes: NaN }', 1, { lanes: Number.NaN }, 'RangeError', 'received NaN'],
    ['1, { lanes: "4" }', 1, { lanes: '4' }, 'TypeError', 'lanes must be a number: received "4"'],
    ['1, { line: 4 }', 1, { line: 4 }, 'TypeError', 'recovery, lanes, inner, order.'],
    ['1, { order: "fair" }', 1, { order: 'fair' }, 'RangeError', 'order must be ordered or random: received "fair"'],
    ['1, { order: 1 }', 1, { order: 1 }, 'TypeError', 'order must be a string: received 1'],
    ['1, { order: null }', 1, { order: null }, 'TypeError', 'order must be a string: received null'],
  ],
};

const HANDLE = { state: 'open', error: 'HandleError', code: 'SLUICE_HANDLE' } as const;

const elsewhere = Arena.create();
const others = MEMBERS.map((Other) => ({ Other, sem: Other.create(1, { arena: elsewhere }) }));

const isOfFamily = (Class: MemberClass): boolean => Class !== PrioritySemaphore;

/** Each other member. The handle of a priority semaphore is of a kind of its own. */
function otherMembers(kind: MemberKind): MemberRow[] {
  return others
    .filter(({ Other }) => Other !== kind.Class)
    .flatMap(({ Other, sem }): MemberRow[] => [
      {
        ...HANDLE,
        call: `${kind.what}.from(a ${Other.name}’s handle)`,
        make: () => kind.from(sem.handle),
        says: isOfFamily(kind.Class) && isOfFamily(Other) ? `not to a ${kind.what}` : 'Not a handle of kind',
      },
      {
        ...HANDLE,
        call: `${kind.what}.from(a ${Other.name})`,
        make: () => kind.from(wrong(sem)),
        says: 'received an instance',
      },
    ]);
}

export function memberCreationRows(kind: MemberKind): MemberRow[] {
  return [
    ...creationRows<Member, State>(kind, 'open'),
    ...[...PERMITS, ...(OWN[kind.what] ?? [])].map(([written, permits, options, error, says]): MemberRow => {
      const make: MemberRow['make'] = ({ arena }) => kind.Class.create(wrong(permits), { arena, ...options });
      return { call: `${kind.what}.create(${written})`, state: 'open', make, error, says };
    }),
    ...otherMembers(kind),
  ];
}

// Wrong arguments of the methods of every member.

import { wrong } from '../../../../core/test/support/misuse-table.ts';
import { waitRows, type Waits } from '../../../../core/test/support/misuse-waits.ts';
import { LightweightSemaphore } from '../../../src/index.ts';
import { PrioritySemaphore } from '../../../../semaphores/src/index.ts';
import type { Member } from '../support/members.ts';
import { MOST, type MemberKind } from './kinds.ts';
import type { MemberRow, State } from './states.ts';

const WAITS: Waits<Member> = {
  timeouts: [
    ['tryAcquire(1, %)', (sem, timeout) => sem.tryAcquire(1, timeout)],
    ['tryHold(1, %)', (sem, timeout) => sem.tryHold(1, timeout)],
    ['asLock().tryLock(%)', (sem, timeout) => sem.asLock().tryLock(timeout)],
    ['asLock().tryHold(%)', (sem, timeout) => sem.asLock().tryHold(timeout)],
  ],
  options: [
    ['acquireAsync(1, %)', (sem, options) => sem.acquireAsync(1, options)],
    ['holdAsync(1, %)', (sem, options) => sem.holdAsync(1, options)],
    ['runAsync(body, 1, %)', (sem, options) => sem.runAsync(() => 0, 1, options)],
    ['asLock().lockAsync(%)', (sem, options) => sem.asLock().lockAsync(options)],
  ],
  bodies: [
    ['run(%)', (sem, body) => sem.run(body)],
    ['runAsync(%)', (sem, body) => sem.runAsync(body)],
    ['asLock().run(%)', (sem, body) => sem.asLock().run(body)],
  ],
};

type Use = readonly [call: string, use: (sem: Member, permits: number) => unknown];

const TAKERS: readonly Use[] = [
  ['acquire(%)', (sem, permits) => sem.acquire(permits)],
  ['tryAcquire(%)', (sem, permits) => sem.tryAcquire(permits)],
  ['tryAcquire(%, 5)', (sem, permits) => sem.tryAcquire(permits, 5)],
  ['acquireAsync(%)', (sem, permits) => sem.acquireAsync(permits)],
  ['hold(%)', (sem, permits) => sem.hold(permits)],
  ['tryHold(%)', (sem, permits) => sem.tryHold(permits)],
  ['holdAsync(%)', (sem, permits) => sem.holdAsync(permits)],
  ['run(body, %)', (sem, permits) => sem.run(() => 0, permits)],
  ['runAsync(body, %)', (sem, permits) => sem.runAsync(() => 0, permits)],
  ['asLock(%)', (sem, permits) => sem.asLock(permits)],
  ['release(%)', (sem, permits) => sem.release(permits)],
];

const light = (sem: Member): LightweightSemaphore => sem as LightweightSemaphore;

const TAKERS_OF_MANY: readonly Use[] = [
  ['waitMany(%)', (sem, most) => light(sem).waitMany(most)],
  ['tryWaitMany(%)', (sem, most) => light(sem).tryWaitMany(most)],
  ['waitManyAsync(%)', (sem, most) => light(sem).waitManyAsync(most)],
];

const WRONG: readonly (readonly [written: string, value: unknown, error: string, received: string])[] = [
  ['0', 0, 'RangeError', '0'],
  ['-1', -1, 'RangeError', '-1'],
  ['1.5', 1.5, 'RangeError', '1.5'],
  ['NaN', Number.NaN, 'RangeError', 'NaN'],
  ['Infinity', Infinity, 'RangeError', 'Infinity'],
  ['2 ** 31', 2 ** 31, 'RangeError', '2147483648'],
  ['"2"', '2', 'TypeError', '"2"'],
  ['1n', 1n, 'TypeError', '1n'],
  ['null', null, 'TypeError', 'null'],
  ['{}', {}, 'TypeError', 'an object of type Object'],
  ['true', true, 'TypeError', 'true'],
];

function wrongNumbers(
  uses: readonly Use[],
  what: string,
  most: number,
  values: typeof WRONG,
  state: State,
): MemberRow[] {
  return uses.flatMap(([call, use]) =>
    values.map(([written, value, error, received]): MemberRow => {
      const must = error === 'TypeError' ? 'a number' : `a whole number from 1 to ${most}`;
      return {
        call: call.replace('%', written),
        state,
        make: ({ ours }) => use(ours, wrong(value)),
        error,
        says: `${what} must be ${must}: received ${received}`,
      };
    }),
  );
}

const UNSUPPORTED = { error: 'UnsupportedError', code: 'SLUICE_UNSUPPORTED' } as const;

/** Calls for several permits at once, for which no agent can wait. */
function severalRows({ Class }: MemberKind): MemberRow[] {
  if (Class.capabilities.weighted) return [];
  const triesSeveral = ([LightweightSemaphore, PrioritySemaphore] as readonly object[]).includes(Class);
  const waiting = TAKERS.filter(
    ([call]) => !/^(asLock|release)/.test(call) && !(triesSeveral && /^try(Acquire|Hold)\(%\)$/.test(call)),
  );
  return (['open', 'busy', 'contested'] as const).flatMap((state) =>
    waiting.map(([call, use]): MemberRow => {
      const says = '2 permits at once cannot be waited for here: ';
      return { call: call.replace('%', '2'), state, make: ({ ours }) => use(ours, 2), ...UNSUPPORTED, says };
    }),
  );
}

export function argumentRows(kind: MemberKind): MemberRow[] {
  const beyond = [['6', 6, 'RangeError', '6']] as const;
  const isLight = (kind.Class as object) === LightweightSemaphore;
  const many: Waits<Member> = {
    timeouts: [],
    options: [['waitManyAsync(2, %)', (sem, options) => light(sem).waitManyAsync(2, options)]],
  };
  return [
    ...waitRows<Member, State>(WAITS, ['open', 'busy', 'contested']),
    ...wrongNumbers(TAKERS, 'permits', MOST, [...WRONG, ...beyond], 'open'),
    ...wrongNumbers(TAKERS, 'permits', MOST, [...WRONG.slice(0, 1), ...beyond], 'busy'),
    ...severalRows(kind),
    ...(isLight ? wrongNumbers(TAKERS_OF_MANY, 'most', 2 ** 31 - 1, WRONG, 'open') : []),
    ...(isLight ? waitRows<Member, State>(many, ['open', 'busy']) : []),
  ];
}

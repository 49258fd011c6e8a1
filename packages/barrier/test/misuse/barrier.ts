import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { Barrier } from '../../src/index.ts';

/**
 * A barrier of three parties. `awaited`: one party waits. `claimed`: another agent has claimed one. `broken`: a timeout
 * broke it. `empty`: it has no parties.
 */
export type BarrierState = 'idle' | 'awaited' | 'claimed' | 'broken' | 'empty' | 'freed';

export const BARRIER: Kind<Barrier> = {
  what: 'Barrier',
  Class: Barrier,
  create: (options) => Barrier.create(3, options),
  from: (handle, options) => Barrier.from(handle, options),
};

export const BARRIER_STATES: Readonly<Record<BarrierState, Prepare<Barrier>>> = {
  idle: () => () => undefined,
  awaited: ({ ours, theirs }) => {
    const wait = theirs.waitAsync().catch(() => undefined);
    return () => {
      ours.reset();
      return wait;
    };
  },
  claimed: ({ theirs }) => {
    theirs.claim();
    return () => theirs.deregister();
  },
  broken: ({ ours }) => {
    ours.tryWait(0.01);
    return () => ours.reset();
  },
  empty: ({ ours }) => {
    ours.deregister(3);
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<Barrier> = {
  timeouts: [['tryWait(%)', (barrier, timeout) => barrier.tryWait(timeout)]],
  options: [['waitAsync(%)', (barrier, options) => barrier.waitAsync(options)]],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'did not trip within' } as const;
const BROKEN = {
  error: 'BrokenBarrierError',
  code: 'SLUICE_BROKEN_BARRIER',
  says: "Barrier 'bench' is broken: a wait timed out or was aborted. Call mend()",
} as const;

type Uses = readonly (readonly [call: string, use: (barrier: Barrier) => unknown])[];
type BarrierRow = Row<Barrier, BarrierState>;

const NUMBERS: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['0', 0, 'RangeError', 'must be a whole number from 1 to 32767: received 0'],
  ['-1', -1, 'RangeError', 'received -1'],
  ['1.5', 1.5, 'RangeError', 'received 1.5'],
  ['NaN', Number.NaN, 'RangeError', 'received NaN'],
  ['32768', 32_768, 'RangeError', 'received 32768'],
  ['"1"', '1', 'TypeError', 'must be a number: received "1"'],
  ['1n', 1n, 'TypeError', 'received 1n'],
  ['null', null, 'TypeError', 'received null'],
];

const COUNTS: readonly (readonly [call: string, use: (barrier: Barrier, n: never) => unknown])[] = [
  ['register(%)', (barrier, n) => barrier.register(n)],
  ['claim(%)', (barrier, n) => barrier.claim(n)],
  ['deregister(%)', (barrier, n) => barrier.deregister(n)],
];

const ACTIONS: readonly (readonly [written: string, value: unknown, says: string])[] = [
  ['null', null, 'received null'],
  ['"act"', 'act', 'received "act"'],
  ['{}', {}, 'received an object'],
];

const FREE: Uses = [['free()', (barrier) => barrier.free()]];
const WAITING: Uses = [
  ['wait()', (barrier) => barrier.wait()],
  ['tryWait()', (barrier) => barrier.tryWait()],
  ['tryWait(5)', (barrier) => barrier.tryWait(5)],
  ['tryWait(Infinity)', (barrier) => barrier.tryWait(Infinity)],
  ['waitAsync()', (barrier) => barrier.waitAsync()],
  ['waitAsync({ timeout: 0 })', (barrier) => barrier.waitAsync({ timeout: 0 })],
  ['waitAsync({ timeout: 5 })', (barrier) => barrier.waitAsync({ timeout: 5 })],
];
const OTHERS: Uses = [
  ['register()', (barrier) => barrier.register()],
  ['claim()', (barrier) => barrier.claim()],
  ['deregister()', (barrier) => barrier.deregister()],
  ['reset()', (barrier) => barrier.reset()],
  ['abort()', (barrier) => barrier.abort()],
  ['mend()', (barrier) => barrier.mend()],
  ['parties', (barrier) => barrier.parties],
  ['generation', (barrier) => barrier.generation],
  ['broken', (barrier) => barrier.broken],
  ['waiting', (barrier) => barrier.waiting],
  ['name', (barrier) => barrier.name],
  ['inspect()', (barrier) => barrier.inspect()],
];

export function barrierRows(): BarrierRow[] {
  const rows = (state: BarrierState, rest: Pick<BarrierRow, 'error' | 'code' | 'says'>, uses: Uses): BarrierRow[] =>
    refusedRows(state, rest, uses);
  return [
    ...creationRows<Barrier, BarrierState>(BARRIER, 'idle'),
    ...waitRows<Barrier, BarrierState>(WAITS, ['idle', 'awaited']),
    ...(['idle', 'awaited'] as const).flatMap((state) =>
      COUNTS.flatMap(([call, use]) =>
        NUMBERS.map(([written, value, error, says]): BarrierRow => {
          return { call: call.replace('%', written), state, make: ({ ours }) => use(ours, wrong(value)), error, says };
        }),
      ),
    ),
    ...[
      ['-1', -1],
      ['32768', 32_768],
      ['0.5', 0.5],
    ].map(([written, parties]): BarrierRow => {
      return {
        call: `Barrier.create(${written})`,
        state: 'idle',
        make: () => Barrier.create(wrong(parties)),
        error: 'RangeError',
        says: 'The number of parties must be a whole number from 0 to 32767',
      };
    }),
    {
      call: 'Barrier.create()',
      state: 'idle',
      make: () => (Barrier.create as (parties?: number) => Barrier)(),
      error: 'TypeError',
      says: 'The number of parties must be a number: received undefined',
    },
    ...ACTIONS.flatMap(([written, action, says]): BarrierRow[] => [
      {
        call: `Barrier.create(2, { action: ${written} })`,
        state: 'idle',
        make: ({ arena }) => Barrier.create(2, { arena, action: wrong(action) }),
        error: 'TypeError',
        says,
      },
      {
        call: `Barrier.from(handle, { action: ${written} })`,
        state: 'idle',
        make: ({ ours }) => Barrier.from(ours.handle, { action: wrong(action) }),
        error: 'TypeError',
        says,
      },
    ]),
    ...rows(
      'idle',
      { ...MISUSE, says: "Barrier 'bench': 4 cannot leave: 0 of 3 parties have arrived. It was not changed." },
      [['deregister(4)', (barrier) => barrier.deregister(4)]],
    ),
    ...rows('awaited', { ...MISUSE, says: '3 cannot leave: 1 of 3 parties have arrived' }, [
      ['deregister(3)', (barrier) => barrier.deregister(3)],
    ]),
    ...rows('broken', { ...MISUSE, says: '4 cannot leave: broken, 3 parties' }, [
      ['deregister(4)', (barrier) => barrier.deregister(4)],
    ]),
    ...rows('idle', { ...MISUSE, says: 'this agent cannot be 4 more of its 3 parties' }, [
      ['claim(4)', (barrier) => barrier.claim(4)],
    ]),
    ...rows('idle', { error: 'RangeError', says: 'cannot have 32765 more than its 3 parties: the maximum is 32767' }, [
      ['register(32765)', (barrier) => barrier.register(32_765)],
    ]),
    ...(['idle', 'awaited', 'claimed'] as const).flatMap((state) =>
      rows(state, LATE, [['waitAsync({ timeout: 0 })', (barrier) => barrier.waitAsync({ timeout: 0 })]]),
    ),
    ...rows('claimed', { ...LATE, says: '0 of 3 parties have arrived, claimed by agent ' }, [
      ['waitAsync({ timeout: 0 }) again', (barrier) => barrier.waitAsync({ timeout: 0 })],
    ]),
    ...rows('broken', BROKEN, WAITING),
    ...rows(
      'empty',
      { ...MISUSE, says: "Barrier 'bench' has no parties: register() adds them. It was not changed." },
      WAITING,
    ),
    ...(['awaited', 'claimed'] as const).flatMap((state) =>
      rows(state, { ...MISUSE, says: 'is in use and cannot be freed' }, FREE),
    ),
    ...rows('freed', { ...MISUSE, says: "The barrier 'bench' was freed and cannot be used any more." }, [
      ...WAITING,
      ...OTHERS,
      ...FREE,
    ]),
    {
      call: 'Barrier.from(the handle of a freed barrier)',
      state: 'freed',
      make: ({ ours }) => Barrier.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

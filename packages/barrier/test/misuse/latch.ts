import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { CountdownLatch } from '../../src/index.ts';

/**
 * `counting`: count 2. `awaited`: count 1, and an async wait of another agent waits. `claimed`: count 1, claimed by
 * another agent.
 */
export type State = 'idle' | 'counting' | 'awaited' | 'claimed' | 'freed';

const MOST = 2 ** 31 - 1;

export const LATCH: Kind<CountdownLatch> = {
  what: 'CountdownLatch',
  Class: CountdownLatch,
  create: (options) => CountdownLatch.create(0, options),
  from: (handle, options) => CountdownLatch.from(handle, options),
};

export const STATES: Readonly<Record<State, Prepare<CountdownLatch>>> = {
  idle: () => () => undefined,
  counting: ({ ours }) => {
    ours.add(2);
    return () => ours.done(2);
  },
  awaited: ({ ours, theirs }) => {
    ours.add();
    const wait = theirs.waitAsync();
    return () => {
      ours.done();
      return wait;
    };
  },
  claimed: ({ ours, theirs }) => {
    ours.add();
    theirs.claim();
    return () => theirs.done();
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<CountdownLatch> = {
  timeouts: [['tryWait(%)', (latch, timeout) => latch.tryWait(timeout)]],
  options: [['waitAsync(%)', (latch, options) => latch.waitAsync(options)]],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'did not reach 0 within' } as const;

type Uses = readonly (readonly [call: string, use: (latch: CountdownLatch) => unknown])[];
type LatchRow = Row<CountdownLatch, State>;

const NUMBERS: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['0', 0, 'RangeError', 'must be a whole number from 1 to 2147483647: received 0'],
  ['-1', -1, 'RangeError', 'received -1'],
  ['1.5', 1.5, 'RangeError', 'received 1.5'],
  ['NaN', Number.NaN, 'RangeError', 'received NaN'],
  ['2 ** 31', 2 ** 31, 'RangeError', 'received 2147483648'],
  ['"1"', '1', 'TypeError', 'must be a number: received "1"'],
  ['1n', 1n, 'TypeError', 'received 1n'],
  ['null', null, 'TypeError', 'received null'],
];

const COUNTS: readonly (readonly [call: string, use: (latch: CountdownLatch, n: never) => unknown])[] = [
  ['add(%)', (latch, n) => latch.add(n)],
  ['claim(%)', (latch, n) => latch.claim(n)],
  ['done(%)', (latch, n) => latch.done(n)],
];

const FREE: Uses = [['free()', (latch) => latch.free()]];
const OTHERS: Uses = [
  ['add()', (latch) => latch.add()],
  ['claim()', (latch) => latch.claim()],
  ['done()', (latch) => latch.done()],
  ['done(2)', (latch) => latch.done(2)],
  ['wait()', (latch) => latch.wait()],
  ['tryWait()', (latch) => latch.tryWait()],
  ['tryWait(5)', (latch) => latch.tryWait(5)],
  ['tryWait(Infinity)', (latch) => latch.tryWait(Infinity)],
  ['waitAsync()', (latch) => latch.waitAsync()],
  ['waitAsync({ timeout: 0 })', (latch) => latch.waitAsync({ timeout: 0 })],
  ['waitAsync({ timeout: 5 })', (latch) => latch.waitAsync({ timeout: 5 })],
  ['count', (latch) => latch.count],
  ['waiting', (latch) => latch.waiting],
  ['name', (latch) => latch.name],
  ['inspect()', (latch) => latch.inspect()],
];

export function latchRows(): LatchRow[] {
  const rows = (state: State, rest: Pick<LatchRow, 'error' | 'code' | 'says'>, uses: Uses): LatchRow[] =>
    refusedRows(state, rest, uses);
  return [
    ...creationRows<CountdownLatch, State>(LATCH, 'idle'),
    ...waitRows<CountdownLatch, State>(WAITS, ['idle', 'counting', 'awaited']),
    ...(['idle', 'counting'] as const).flatMap((state) =>
      COUNTS.flatMap(([call, use]) =>
        NUMBERS.map(([written, value, error, says]): LatchRow => {
          return { call: call.replace('%', written), state, make: ({ ours }) => use(ours, wrong(value)), error, says };
        }),
      ),
    ),
    ...[
      ['-1', -1],
      ['2 ** 31', 2 ** 31],
      ['0.5', 0.5],
    ].map(([written, count]): LatchRow => {
      return {
        call: `CountdownLatch.create(${written})`,
        state: 'idle',
        make: () => CountdownLatch.create(wrong(count)),
        error: 'RangeError',
        says: 'The count must be a whole number from 0 to 2147483647',
      };
    }),
    {
      call: 'CountdownLatch.create("3")',
      state: 'idle',
      make: () => CountdownLatch.create(wrong('3')),
      error: 'TypeError',
      says: 'The count must be a number: received "3"',
    },
    ...rows(
      'idle',
      { ...MISUSE, says: "CountdownLatch 'bench' cannot be counted down by 1: its count is 0. It was not changed." },
      [['done()', (latch) => latch.done()]],
    ),
    ...rows('idle', { ...MISUSE, says: "CountdownLatch 'bench': 1 more claims would exceed its count of 0." }, [
      ['claim()', (latch) => latch.claim()],
    ]),
    ...rows('counting', { ...MISUSE, says: 'cannot be counted down by 3: its count is 2' }, [
      ['done(3)', (latch) => latch.done(3)],
    ]),
    ...rows('counting', { ...MISUSE, says: '3 more claims would exceed its count of 2' }, [
      ['claim(3)', (latch) => latch.claim(3)],
    ]),
    ...rows(
      'counting',
      { error: 'RangeError', says: `cannot count up by ${MOST - 1}: its count is 2, and the maximum is ${MOST}` },
      [['add(2 ** 31 - 2)', (latch) => latch.add(MOST - 1)]],
    ),
    ...(['counting', 'awaited', 'claimed'] as const).flatMap((state) =>
      rows(state, LATE, [
        ['waitAsync({ timeout: 0 })', (latch) => latch.waitAsync({ timeout: 0 })],
        ['waitAsync({ timeout: 1 })', (latch) => latch.waitAsync({ timeout: 1 })],
      ]),
    ),
    ...rows('claimed', { ...LATE, says: 'count 1, claimed by agent ' }, [
      ['waitAsync({ timeout: 2 })', (latch) => latch.waitAsync({ timeout: 2 })],
    ]),
    ...(['awaited', 'claimed'] as const).flatMap((state) =>
      rows(state, { ...MISUSE, says: 'is in use and cannot be freed' }, FREE),
    ),
    ...rows('freed', { ...MISUSE, says: "The latch 'bench' was freed and cannot be used any more." }, [
      ...OTHERS,
      ...FREE,
    ]),
    {
      call: 'CountdownLatch.from(the handle of a freed latch)',
      state: 'freed',
      make: ({ ours }) => CountdownLatch.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

import { creationRows } from '../../../../core/test/support/misuse-creation.ts';
import { wrong, type Prepare, type Row } from '../../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../../core/test/support/misuse-waits.ts';
import { EventCount } from '../../../src/index.ts';
import { EVENT_COUNT } from './kinds.ts';

/** `awaited`: an async wait of another agent waits for the value 1. */
export type State = 'idle' | 'awaited' | 'freed';

export const STATES: Readonly<Record<State, Prepare<EventCount>>> = {
  idle: () => () => undefined,
  awaited: ({ ours, theirs }) => {
    const wait = theirs.awaitAsync(ours.read() + 1);
    return () => {
      ours.advance();
      return wait;
    };
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

/** No bench advances so far. */
const FAR = 1_000_000;
const WAITS: Waits<EventCount> = {
  timeouts: [['tryAwait(9, %)', (event, timeout) => event.tryAwait(FAR, timeout)]],
  options: [['awaitAsync(9, %)', (event, options) => event.awaitAsync(FAR, options)]],
};

const VALUES: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['-1', -1, 'RangeError', 'must be a whole number from 0 to 9007199254740991: received -1'],
  ['1.5', 1.5, 'RangeError', 'received 1.5'],
  ['NaN', Number.NaN, 'RangeError', 'received NaN'],
  ['2 ** 53', 2 ** 53, 'RangeError', 'received 9007199254740992'],
  ['"1"', '1', 'TypeError', 'The value must be a number: received "1"'],
  ['1n', 1n, 'TypeError', 'received 1n'],
  ['', undefined, 'TypeError', 'received undefined'],
];
const STEPS: typeof VALUES = [
  ['0', 0, 'RangeError', 'The number to advance by must be a whole number from 1 to 2147483647: received 0'],
  ['-1', -1, 'RangeError', 'received -1'],
  ['0.5', 0.5, 'RangeError', 'received 0.5'],
  ['2 ** 31', 2 ** 31, 'RangeError', 'received 2147483648'],
  ['"1"', '1', 'TypeError', 'The number to advance by must be a number: received "1"'],
  ['null', null, 'TypeError', 'received null'],
];
type Call = readonly [call: string, use: (event: EventCount, value: never) => unknown];
const TAKE_A_VALUE: readonly Call[] = [
  ['await(%)', (event, value) => event.await(value)],
  ['tryAwait(%)', (event, value) => event.tryAwait(value)],
  ['tryAwait(%, 5)', (event, value) => event.tryAwait(value, 5)],
  ['awaitAsync(%)', (event, value) => event.awaitAsync(value)],
];
const ADVANCE: readonly Call[] = [['advance(%)', (event, value) => event.advance(value)]];

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'did not reach 1000000 within' } as const;

type Uses = readonly (readonly [call: string, use: (event: EventCount) => unknown])[];
type EventCountRow = Row<EventCount, State>;

const FREE: Uses = [['free()', (event) => event.free()]];
const OTHERS: Uses = [
  ['advance()', (event) => event.advance()],
  ['advance(2)', (event) => event.advance(2)],
  ['read()', (event) => event.read()],
  ['await(1)', (event) => event.await(1)],
  ['tryAwait(1)', (event) => event.tryAwait(1)],
  ['tryAwait(1, 5)', (event) => event.tryAwait(1, 5)],
  ['tryAwait(1, Infinity)', (event) => event.tryAwait(1, Infinity)],
  ['awaitAsync(1)', (event) => event.awaitAsync(1)],
  ['awaitAsync(1, { timeout: 0 })', (event) => event.awaitAsync(1, { timeout: 0 })],
  ['awaitAsync(1, { timeout: 5 })', (event) => event.awaitAsync(1, { timeout: 5 })],
  ['waiting', (event) => event.waiting],
  ['name', (event) => event.name],
  ['inspect()', (event) => event.inspect()],
];

function argumentRows(calls: readonly Call[], values: typeof VALUES): EventCountRow[] {
  return (['idle', 'awaited'] as const).flatMap((state) =>
    calls.flatMap(([call, use]) =>
      values.map(
        ([written, value, error, says]) =>
          ({
            call: call.replace('%', written),
            state,
            make: ({ ours }) => use(ours, wrong(value)),
            error,
            says,
          }) satisfies EventCountRow,
      ),
    ),
  );
}

export function eventCountRows(): EventCountRow[] {
  return [
    ...creationRows<EventCount, State>(EVENT_COUNT, 'idle'),
    ...waitRows<EventCount, State>(WAITS, ['idle', 'awaited']),
    ...argumentRows(TAKE_A_VALUE, VALUES),
    ...argumentRows(ADVANCE, STEPS),
    ...(['idle', 'awaited'] as const).flatMap((state) =>
      refusedRows<EventCount, State>(state, LATE, [
        ['awaitAsync(1e6, { timeout: 0 })', (event) => event.awaitAsync(FAR, { timeout: 0 })],
        ['awaitAsync(1e6, { timeout: 1 })', (event) => event.awaitAsync(FAR, { timeout: 1 })],
      ]),
    ),
    ...refusedRows<EventCount, State>('awaited', { ...MISUSE, says: 'is in use and cannot be freed: count' }, FREE),
    ...refusedRows<EventCount, State>(
      'freed',
      { ...MISUSE, says: "The event count 'bench' was freed and cannot be used any more." },
      [...OTHERS, ...FREE],
    ),
    {
      call: 'EventCount.from(the handle of a freed event count)',
      state: 'freed',
      make: ({ ours }) => EventCount.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

// Wrong calls on a watch cell.

import { creationRows } from '../../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../../core/test/support/misuse-waits.ts';
import { WatchCell } from '../../../src/index.ts';

export type NumberCell = WatchCell<number>;
/**
 * `known`: this agent has read the newest value. `awaited`: another agent has, too, and waits for the next. `closed`:
 * this agent has read the last value.
 */
export type State = 'idle' | 'known' | 'awaited' | 'closed' | 'freed';

export const CELL: Kind<NumberCell> = {
  what: 'WatchCell',
  Class: WatchCell,
  create: (options) =>
    WatchCell.create(
      7,
      typeof options === 'object' && (options as object | null) !== null
        ? { codec: 'int32', ...options }
        : wrong(options),
    ),
  from: (handle, options) => WatchCell.from<number>(handle, options),
};

export const STATES: Readonly<Record<State, Prepare<NumberCell>>> = {
  idle: () => () => undefined,
  known: ({ ours }) => {
    ours.get();
    return () => undefined;
  },
  awaited: ({ ours, theirs }) => {
    ours.get();
    theirs.get();
    const wait = theirs.changedAsync();
    return () => {
      ours.set(8);
      return wait;
    };
  },
  closed: ({ ours }) => {
    ours.get();
    ours.close();
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<NumberCell> = {
  timeouts: [['tryChanged(%)', (cell, timeout) => cell.tryChanged(timeout)]],
  options: [['changedAsync(%)', (cell, options) => cell.changedAsync(options)]],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'did not change within' } as const;

type Uses = readonly (readonly [call: string, use: (cell: NumberCell) => unknown])[];
type CellRow = Row<NumberCell, State>;

const FREE: Uses = [['free()', (cell) => cell.free()]];
const ENDED: Uses = [
  ['set(1)', (cell) => cell.set(1)],
  ['changed()', (cell) => cell.changed()],
  ['tryChanged()', (cell) => cell.tryChanged()],
  ['tryChanged(5)', (cell) => cell.tryChanged(5)],
  ['changedAsync()', (cell) => cell.changedAsync()],
  ['changedAsync({ timeout: 5 })', (cell) => cell.changedAsync({ timeout: 5 })],
];
const OTHERS: Uses = [
  ['get()', (cell) => cell.get()],
  ['set(1)', (cell) => cell.set(1)],
  ['hasChanged', (cell) => cell.hasChanged],
  ['version', (cell) => cell.version],
  ['changed()', (cell) => cell.changed()],
  ['tryChanged()', (cell) => cell.tryChanged()],
  ['tryChanged(5)', (cell) => cell.tryChanged(5)],
  ['changedAsync()', (cell) => cell.changedAsync()],
  ['changedAsync({ timeout: 5 })', (cell) => cell.changedAsync({ timeout: 5 })],
  ['waiting', (cell) => cell.waiting],
  ['name', (cell) => cell.name],
  ['inspect()', (cell) => cell.inspect()],
  ['closed', (cell) => cell.closed],
  ['close()', (cell) => cell.close()],
  ['a loop', (cell) => cell[Symbol.asyncIterator]().next()],
];

export function cellRows(): CellRow[] {
  const rows = (state: State, rest: Pick<CellRow, 'error' | 'code' | 'says'>, uses: Uses): CellRow[] =>
    refusedRows(state, rest, uses);
  const made = (written: string, options: object, error: string, says: string): CellRow => ({
    call: `WatchCell.create(7, ${written})`,
    state: 'idle',
    make: ({ arena }) => WatchCell.create(7, { arena, ...options }),
    error,
    says,
  });
  return [
    ...creationRows<NumberCell, State>(CELL, 'idle'),
    ...waitRows<NumberCell, State>(WAITS, ['known', 'awaited']),
    made(
      "{ codec: 'text' }",
      { codec: 'text' },
      'TypeError',
      "The codec must be 'json', 'bytes', 'int32', 'float64' or an object: received \"text\"",
    ),
    made('{ codec: {} }', { codec: {} }, 'TypeError', 'A codec must have a name, encode and decode'),
    made(
      '{ maxBytes: 0 }',
      { maxBytes: 0 },
      'RangeError',
      'maxBytes must be a whole number from 1 to 1048576: received 0',
    ),
    made("{ maxBytes: '8' }", { maxBytes: '8' }, 'TypeError', 'maxBytes must be a number: received "8"'),
    made(
      "{ codec: 'int32', maxBytes: 4 }",
      { codec: 'int32', maxBytes: 4 },
      'TypeError',
      'A cell of int32 has no maxBytes: received 4',
    ),
    ...rows('idle', { error: 'TypeError', says: 'a value must be a number, received "x"' }, [
      ['set("x")', (cell) => cell.set(wrong('x'))],
    ]),
    ...rows(
      'idle',
      { error: 'RangeError', says: 'a value must be a whole number from -2^31 to 2^31 - 1, received 0.5' },
      [['set(0.5)', (cell) => cell.set(0.5)]],
    ),
    ...(['known', 'awaited'] as const).flatMap((state) =>
      rows(state, LATE, [
        ['changedAsync({ timeout: 0 })', (cell) => cell.changedAsync({ timeout: 0 })],
        ['changedAsync({ timeout: 1 })', (cell) => cell.changedAsync({ timeout: 1 })],
      ]),
    ),
    ...rows('awaited', { ...MISUSE, says: 'is in use and cannot be freed: version 0, 1 waiter in line' }, FREE),
    ...rows(
      'closed',
      { error: 'ClosedError', code: 'SLUICE_CLOSED', says: "WatchCell 'bench' is closed. Nothing was changed." },
      ENDED,
    ),
    ...rows('freed', { ...MISUSE, says: "The watch cell 'bench' was freed and cannot be used any more." }, [
      ...OTHERS,
      ...FREE,
    ]),
    {
      call: 'WatchCell.from(the handle of a freed cell)',
      state: 'freed',
      make: ({ ours }) => WatchCell.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

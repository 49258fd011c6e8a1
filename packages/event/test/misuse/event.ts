import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { ManualResetEvent } from '../../src/index.ts';

/** `awaited`: the event is not set, and an async wait of another agent waits. */
export type State = 'idle' | 'set' | 'awaited' | 'freed';

export const EVENT: Kind<ManualResetEvent> = {
  what: 'ManualResetEvent',
  Class: ManualResetEvent,
  create: (options) => ManualResetEvent.create(options),
  from: (handle, options) => ManualResetEvent.from(handle, options),
};

export const STATES: Readonly<Record<State, Prepare<ManualResetEvent>>> = {
  idle: () => () => undefined,
  set: ({ ours }) => {
    ours.set();
    return () => ours.reset();
  },
  awaited: ({ ours, theirs }) => {
    const wait = theirs.waitAsync();
    return () => {
      ours.set();
      return wait;
    };
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<ManualResetEvent> = {
  timeouts: [['tryWait(%)', (event, timeout) => event.tryWait(timeout)]],
  options: [['waitAsync(%)', (event, options) => event.waitAsync(options)]],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'was not set within' } as const;

type Uses = readonly (readonly [call: string, use: (event: ManualResetEvent) => unknown])[];
type EventRow = Row<ManualResetEvent, State>;

const FREE: Uses = [['free()', (event) => event.free()]];
const OTHERS: Uses = [
  ['set()', (event) => event.set()],
  ['reset()', (event) => event.reset()],
  ['isSet', (event) => event.isSet],
  ['wait()', (event) => event.wait()],
  ['tryWait()', (event) => event.tryWait()],
  ['tryWait(5)', (event) => event.tryWait(5)],
  ['tryWait(Infinity)', (event) => event.tryWait(Infinity)],
  ['waitAsync()', (event) => event.waitAsync()],
  ['waitAsync({ timeout: 0 })', (event) => event.waitAsync({ timeout: 0 })],
  ['waitAsync({ timeout: 5 })', (event) => event.waitAsync({ timeout: 5 })],
  ['waiting', (event) => event.waiting],
  ['name', (event) => event.name],
  ['inspect()', (event) => event.inspect()],
];

export function eventRows(): EventRow[] {
  const rows = (state: State, rest: Pick<EventRow, 'error' | 'code' | 'says'>, uses: Uses): EventRow[] =>
    refusedRows(state, rest, uses);
  return [
    ...creationRows<ManualResetEvent, State>(EVENT, 'idle'),
    ...waitRows<ManualResetEvent, State>(WAITS, ['idle', 'set', 'awaited']),
    ...[
      ['1', 1],
      ['"yes"', 'yes'],
      ['null', null],
    ].map(([written, isSet]): EventRow => {
      return {
        call: `ManualResetEvent.create({ isSet: ${written} })`,
        state: 'idle',
        make: ({ arena }) => ManualResetEvent.create({ arena, isSet: wrong(isSet) }),
        error: 'TypeError',
        says: 'isSet must be a boolean: received',
      };
    }),
    ...(['idle', 'awaited'] as const).flatMap((state) =>
      rows(state, LATE, [
        ['waitAsync({ timeout: 0 })', (event) => event.waitAsync({ timeout: 0 })],
        ['waitAsync({ timeout: 1 })', (event) => event.waitAsync({ timeout: 1 })],
      ]),
    ),
    ...rows('awaited', { ...MISUSE, says: 'is in use and cannot be freed: 1 waiter in line' }, FREE),
    ...rows('freed', { ...MISUSE, says: "The event 'bench' was freed and cannot be used any more." }, [
      ...OTHERS,
      ...FREE,
    ]),
    {
      call: 'ManualResetEvent.from(the handle of a freed event)',
      state: 'freed',
      make: ({ ours }) => ManualResetEvent.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

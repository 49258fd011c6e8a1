import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import type { Kind, Prepare, Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { AutoResetEvent } from '../../src/index.ts';

/** `awaited`: an async wait of this agent waits. `watched`: an async wait of another agent waits. */
export type State = 'idle' | 'signalled' | 'awaited' | 'watched' | 'freed';

export const EVENT: Kind<AutoResetEvent> = {
  what: 'AutoResetEvent',
  Class: AutoResetEvent,
  create: (options) => AutoResetEvent.create(options),
  from: (handle, options) => AutoResetEvent.from(handle, options),
};

export const STATES: Readonly<Record<State, Prepare<AutoResetEvent>>> = {
  idle: () => () => undefined,
  signalled: ({ theirs }) => {
    theirs.signal();
    return () => undefined;
  },
  awaited: ({ ours, theirs }) => {
    const wait = ours.waitAsync();
    return () => {
      theirs.signal();
      return wait;
    };
  },
  watched: ({ ours, theirs }) => {
    const wait = theirs.waitAsync();
    return () => {
      ours.signal();
      return wait;
    };
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const WAITS: Waits<AutoResetEvent> = {
  timeouts: [['tryWait(%)', (event, timeout) => event.tryWait(timeout)]],
  options: [['waitAsync(%)', (event, options) => event.waitAsync(options)]],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const STUCK = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: 'behind 1 async wait of its own' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'got no signal within' } as const;

type Uses = readonly (readonly [call: string, use: (event: AutoResetEvent) => unknown])[];

const BLOCKING: Uses = [
  ['wait()', (event) => event.wait()],
  ['tryWait(Infinity)', (event) => event.tryWait(Infinity)],
];
const FREE: Uses = [['free()', (event) => event.free()]];
const OTHERS: Uses = [
  ['signal()', (event) => event.signal()],
  ['tryWait()', (event) => event.tryWait()],
  ['tryWait(5)', (event) => event.tryWait(5)],
  ['waitAsync()', (event) => event.waitAsync()],
  ['waitAsync({ timeout: 0 })', (event) => event.waitAsync({ timeout: 0 })],
  ['waitAsync({ timeout: 5 })', (event) => event.waitAsync({ timeout: 5 })],
  ['reset()', (event) => event.reset()],
  ['name', (event) => event.name],
  ['inspect()', (event) => event.inspect()],
];

type EventRow = Row<AutoResetEvent, State>;
type Says = Pick<EventRow, 'error' | 'code' | 'says'>;

export function eventRows(): EventRow[] {
  const rows = (state: State, rest: Says, uses: Uses): EventRow[] => refusedRows(state, rest, uses);
  return [
    ...creationRows<AutoResetEvent, State>(EVENT, 'idle'),
    ...waitRows<AutoResetEvent, State>(WAITS, ['idle', 'signalled', 'watched']),
    ...rows('awaited', STUCK, BLOCKING),
    ...(['idle', 'watched'] as const).flatMap((state) =>
      rows(state, LATE, [
        ['waitAsync({ timeout: 0 })', (event) => event.waitAsync({ timeout: 0 })],
        ['waitAsync({ timeout: 1 })', (event) => event.waitAsync({ timeout: 1 })],
      ]),
    ),
    ...(['awaited', 'watched'] as const).flatMap((state) =>
      rows(state, { ...MISUSE, says: 'is in use and cannot be freed' }, FREE),
    ),
    ...rows('freed', { ...MISUSE, says: "The event 'bench' was freed and cannot be used any more." }, [
      ...BLOCKING,
      ...OTHERS,
      ...FREE,
    ]),
    {
      call: 'AutoResetEvent.from(the handle of a freed event)',
      state: 'freed',
      make: ({ ours }) => AutoResetEvent.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

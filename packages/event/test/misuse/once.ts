import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { Once } from '../../src/index.ts';

/** `running`: an async initialiser of another agent runs. `own`: an async initialiser of this agent runs. */
export type State = 'idle' | 'running' | 'own' | 'done' | 'closed' | 'freed';

export const ONCE: Kind<Once> = {
  what: 'Once',
  Class: Once,
  create: (options) => Once.create(options),
  from: (handle, options) => Once.from(handle, options),
};

/** Runs an initialiser that ends when the table leaves the state. */
function runs(once: Once): () => unknown {
  let end = (): void => undefined;
  const run = once.runAsync(() => new Promise<void>((resolve) => (end = resolve)));
  return () => {
    end();
    return run;
  };
}

export const STATES: Readonly<Record<State, Prepare<Once>>> = {
  idle: () => () => undefined,
  running: ({ theirs }) => runs(theirs),
  own: ({ ours }) => runs(ours),
  done: ({ theirs }) => {
    theirs.run(() => undefined);
    return () => undefined;
  },
  closed: ({ theirs }) => {
    theirs.close();
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

function never(): never {
  throw new Error('The initialiser ran.');
}

const WAITS: Waits<Once> = {
  timeouts: [
    ['tryRun(f, %)', (once, timeout) => once.tryRun(never, timeout)],
    ['tryWait(%)', (once, timeout) => once.tryWait(timeout)],
  ],
  options: [
    ['runAsync(f, %)', (once, options) => once.runAsync(never, options)],
    ['waitAsync(%)', (once, options) => once.waitAsync(options)],
  ],
  bodies: [
    ['run(%)', (once, body) => once.run(body)],
    ['tryRun(%)', (once, body) => once.tryRun(body)],
    ['runAsync(%)', (once, body) => once.runAsync(body)],
  ],
};

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'was not done within' } as const;
const CLOSED = {
  error: 'ClosedError',
  code: 'SLUICE_CLOSED',
  says: "Once 'bench' is closed. It was not changed.",
} as const;
const ITSELF = { error: 'DeadlockError', code: 'SLUICE_DEADLOCK', says: "Once 'bench': this agent (agent " } as const;

type Uses = readonly (readonly [call: string, use: (once: Once) => unknown])[];
type OnceRow = Row<Once, State>;

const FREE: Uses = [['free()', (once) => once.free()]];
const BLOCKING: Uses = [
  ['run(f)', (once) => once.run(never)],
  ['tryRun(f, 5)', (once) => once.tryRun(never, 5)],
  ['tryRun(f, Infinity)', (once) => once.tryRun(never, Infinity)],
  ['wait()', (once) => once.wait()],
  ['tryWait(5)', (once) => once.tryWait(5)],
  ['tryWait(Infinity)', (once) => once.tryWait(Infinity)],
];
const OTHERS: Uses = [
  ['tryRun(f)', (once) => once.tryRun(never)],
  ['runAsync(f)', (once) => once.runAsync(never)],
  ['runAsync(f, { timeout: 0 })', (once) => once.runAsync(never, { timeout: 0 })],
  ['tryWait()', (once) => once.tryWait()],
  ['waitAsync()', (once) => once.waitAsync()],
  ['waitAsync({ timeout: 0 })', (once) => once.waitAsync({ timeout: 0 })],
];
const REPORTS: Uses = [
  ['isDone', (once) => once.isDone],
  ['close()', (once) => once.close()],
  ['waiting', (once) => once.waiting],
  ['name', (once) => once.name],
  ['inspect()', (once) => once.inspect()],
];
const LATER: Uses = [
  ['waitAsync({ timeout: 0 })', (once) => once.waitAsync({ timeout: 0 })],
  ['waitAsync({ timeout: 1 })', (once) => once.waitAsync({ timeout: 1 })],
];
const LATER_CALLS: Uses = [
  ['runAsync(f, { timeout: 0 })', (once) => once.runAsync(never, { timeout: 0 })],
  ['runAsync(f, { timeout: 1 })', (once) => once.runAsync(never, { timeout: 1 })],
];

export function onceRows(): OnceRow[] {
  const rows = (state: State, rest: Pick<OnceRow, 'error' | 'code' | 'says'>, uses: Uses): OnceRow[] =>
    refusedRows(state, rest, uses);
  return [
    ...creationRows<Once, State>(ONCE, 'idle'),
    ...waitRows<Once, State>(WAITS, ['idle', 'running', 'done']),
    ...rows('idle', LATE, LATER),
    ...rows('running', LATE, [...LATER, ...LATER_CALLS]),
    ...rows('own', LATE, [...LATER, ...LATER_CALLS]),
    ...rows('own', ITSELF, BLOCKING),
    ...rows('running', { ...MISUSE, says: 'is in use and cannot be freed: run by agent ' }, FREE),
    ...rows('own', { ...MISUSE, says: 'is in use and cannot be freed: run by this agent ' }, FREE),
    ...rows('closed', CLOSED, [...BLOCKING, ...OTHERS]),
    ...rows('freed', { ...MISUSE, says: "The once 'bench' was freed and cannot be used any more." }, [
      ...BLOCKING,
      ...OTHERS,
      ...REPORTS,
      ...FREE,
    ]),
    {
      call: 'Once.from(the handle of a freed once)',
      state: 'freed',
      make: ({ ours }) => Once.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
    {
      call: 'Once.create({ isDone: true })',
      state: 'idle',
      make: ({ arena }) => Once.create({ arena, ...(wrong({ isDone: true }) as object) }),
      error: 'TypeError',
      says: 'Unknown option "isDone"',
    },
  ];
}

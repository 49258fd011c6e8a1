import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Bench, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { SeqLock, type SeqLockOptions } from '../../src/index.ts';

export type State = 'idle' | 'closed' | 'freed';

export const SEQ_LOCK: Kind<SeqLock> = {
  what: 'SeqLock',
  Class: SeqLock,
  create: (options: unknown) =>
    SeqLock.create(
      (typeof options === 'object' && options !== null ? { byteLength: 16, ...options } : options) as SeqLockOptions,
    ),
  from: (handle, options) => SeqLock.from(handle, options),
};

export const STATES: Readonly<Record<State, Prepare<SeqLock>>> = {
  idle: () => () => undefined,
  closed: ({ ours }) => {
    ours.close();
    return () => undefined;
  },
  freed: ({ ours }) => {
    ours.free();
    return () => undefined;
  },
};

const nothing = (): undefined => undefined;

const WAITS: Waits<SeqLock> = {
  timeouts: [
    ['tryWrite(f, %)', (lock, timeout) => lock.tryWrite(nothing, timeout)],
    ['tryUpdate(f, %)', (lock, timeout) => lock.tryUpdate(nothing, timeout)],
  ],
  options: [
    ['writeAsync(f, %)', (lock, options) => lock.writeAsync(nothing, options)],
    ['updateAsync(f, %)', (lock, options) => lock.updateAsync(nothing, options)],
  ],
};

type SeqRow = Row<SeqLock, State>;
type Uses = readonly (readonly [call: string, use: (lock: SeqLock) => unknown])[];

const VALUES: readonly (readonly [written: string, value: unknown, says: string])[] = [
  ['null', null, 'received null'],
  ['7', 7, 'received 7'],
  ['new Int32Array(4)', new Int32Array(4), 'received an object of type Int32Array'],
  ['{}', {}, 'received an object of type Object'],
];

const LENGTHS: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['0', 0, 'RangeError', 'byteLength must be a whole number from 1 to 1048576: received 0'],
  ['-8', -8, 'RangeError', 'received -8'],
  ['1.5', 1.5, 'RangeError', 'received 1.5'],
  ['2 ** 20 + 1', 2 ** 20 + 1, 'RangeError', 'received 1048577'],
  ['NaN', Number.NaN, 'RangeError', 'received NaN'],
  ['"8"', '8', 'TypeError', 'byteLength must be a number: received "8"'],
  ['undefined', undefined, 'TypeError', 'byteLength must be a number: received undefined'],
];

const WRITES: Uses = [
  ['write(f)', (lock) => lock.write(nothing)],
  ['tryWrite(f)', (lock) => lock.tryWrite(nothing)],
  ['tryWrite(f, 5)', (lock) => lock.tryWrite(nothing, 5)],
  ['writeAsync(f)', (lock) => lock.writeAsync(nothing)],
  ['update(f)', (lock) => lock.update(nothing)],
  ['tryUpdate(f)', (lock) => lock.tryUpdate(nothing)],
  ['updateAsync(f)', (lock) => lock.updateAsync(nothing)],
];
const READS: Uses = [
  ['read()', (lock) => lock.read()],
  ['read(f)', (lock) => lock.read(nothing)],
  ['snapshot()', (lock) => lock.snapshot()],
  ['readAsync()', (lock) => lock.readAsync()],
  ['version', (lock) => lock.version],
  ['closed', (lock) => lock.closed],
  ['close()', (lock) => lock.close()],
  ['name', (lock) => lock.name],
  ['inspect()', (lock) => lock.inspect()],
  ['free()', (lock) => lock.free()],
];

export function seqRows(): SeqRow[] {
  const inside = (call: string, use: (bench: Bench<SeqLock>) => unknown, says: string): SeqRow => ({
    call: `${call} in the function of an update`,
    state: 'idle',
    make: (bench) => bench.ours.update(() => use(bench)),
    error: 'MisuseError',
    code: 'SLUICE_MISUSE',
    says,
  });
  return [
    ...creationRows<SeqLock, State>(SEQ_LOCK, 'idle'),
    ...LENGTHS.map(([written, byteLength, error, says]): SeqRow => {
      return {
        call: `SeqLock.create({ byteLength: ${written} })`,
        state: 'idle',
        make: ({ arena }) => SeqLock.create({ arena, byteLength: wrong(byteLength) }),
        error,
        says,
      };
    }),
    {
      call: 'SeqLock.create({ order: "lifo" })',
      state: 'idle',
      make: ({ arena }) => SeqLock.create({ arena, byteLength: 8, order: wrong('lifo') }),
      error: 'TypeError',
      says: "order must be 'turns' or 'fifo': received \"lifo\"",
    },
    ...waitRows<SeqLock, State>(WAITS, ['idle']),
    ...VALUES.flatMap(([written, value, says]): SeqRow[] => {
      const rest = {
        state: 'idle',
        error: 'TypeError',
        says: `Expected a value that read() of a seq-lock returned, or a function such as ({ bytes }) => bytes.set(mine): ${says}`,
      } as const;
      return [
        { call: `read(${written})`, make: ({ ours }) => ours.read(wrong(value)), ...rest },
        { call: `tryRead(${written})`, make: ({ ours }) => ours.tryRead(wrong(value)), ...rest },
        { call: `readAsync(${written})`, make: ({ ours }) => ours.readAsync(wrong(value)), ...rest },
        { call: `write(${written})`, make: ({ ours }) => ours.write(wrong(value)), ...rest },
        { call: `writeAsync(${written})`, make: ({ ours }) => ours.writeAsync(wrong(value)), ...rest },
      ];
    }),
    ...['7', 'null'].flatMap((written): SeqRow[] => {
      const rest = { state: 'idle', error: 'TypeError', says: 'The callback must be a function: received ' } as const;
      const value: unknown = JSON.parse(written);
      return [
        { call: `update(${written})`, make: ({ ours }) => ours.update(wrong(value)), ...rest },
        { call: `tryUpdate(${written})`, make: ({ ours }) => ours.tryUpdate(wrong(value)), ...rest },
        { call: `updateAsync(${written})`, make: ({ ours }) => ours.updateAsync(wrong(value)), ...rest },
      ];
    }),
    {
      call: 'readAsync(undefined, { timeout: -1 })',
      state: 'idle',
      make: ({ ours }) => ours.readAsync(undefined, { timeout: -1 }),
      error: 'RangeError',
      says: 'received -1',
    },
    inside('write(f)', ({ ours }) => ours.write(nothing), 'is owned by this agent'),
    inside('update(f)', ({ ours }) => ours.update(nothing), 'is owned by this agent'),
    inside('free()', ({ ours }) => ours.free(), 'is in use and cannot be freed'),
    ...refusedRows<SeqLock, State>(
      'closed',
      { error: 'ClosedError', code: 'SLUICE_CLOSED', says: "SeqLock 'bench' is closed. Nothing was written." },
      WRITES,
    ),
    ...refusedRows<SeqLock, State>(
      'freed',
      {
        error: 'MisuseError',
        code: 'SLUICE_MISUSE',
        says: "The seq-lock 'bench' was freed and cannot be used any more.",
      },
      [...WRITES, ...READS],
    ),
    {
      call: 'SeqLock.from(the handle of a freed one)',
      state: 'freed',
      make: ({ ours }) => SeqLock.from(ours.handle),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'what it led to was freed',
    },
  ];
}

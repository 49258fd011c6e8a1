import { creationRows } from '../../../core/test/support/misuse-creation.ts';
import { wrong, type Kind, type Prepare, type Row } from '../../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../../core/test/support/misuse-waits.ts';
import { Lazy } from '../../src/index.ts';

export type State = 'idle' | 'there' | 'freed';
type Numbers = Lazy<number>;

export const LAZY: Kind<Numbers> = {
  what: 'Lazy',
  Class: Lazy,
  create: (options) => Lazy.create<number>(options),
  from: (handle, options) => Lazy.from<number>(handle, options),
};

export const STATES: Readonly<Record<State, Prepare<Numbers>>> = {
  idle: () => () => undefined,
  there: ({ theirs }) => {
    theirs.get(() => 1);
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

const WAITS: Waits<Numbers> = {
  timeouts: [
    ['tryGet(f, %)', (lazy, timeout) => lazy.tryGet(never, timeout)],
    ['tryWait(%)', (lazy, timeout) => lazy.tryWait(timeout)],
  ],
  options: [
    ['getAsync(f, %)', (lazy, options) => lazy.getAsync(never, options)],
    ['waitAsync(%)', (lazy, options) => lazy.waitAsync(options)],
  ],
  bodies: [
    ['get(%)', (lazy, body) => lazy.get(wrong(body))],
    ['tryGet(%)', (lazy, body) => lazy.tryGet(wrong(body))],
    ['getAsync(%)', (lazy, body) => lazy.getAsync(wrong(body))],
  ],
};

const LATE = { error: 'TimeoutError', code: 'SLUICE_TIMEOUT', says: 'got no value within' } as const;
const FREED = {
  error: 'MisuseError',
  code: 'SLUICE_MISUSE',
  says: "The lazy 'bench' was freed and cannot be used any more.",
} as const;

const OPTIONS: readonly (readonly [written: string, options: object, error: string, says: string])[] = [
  [
    '{ codec: "text" }',
    { codec: 'text' },
    'TypeError',
    "The codec must be 'json', 'bytes', 'int32', 'float64' or an object: received \"text\"",
  ],
  ['{ codec: "toString" }', { codec: 'toString' }, 'TypeError', 'received "toString"'],
  ['{ codec: 5 }', { codec: 5 }, 'TypeError', 'received 5'],
  ['{ codec: null }', { codec: null }, 'TypeError', 'received null'],
  [
    '{ codec: {} }',
    { codec: {} },
    'TypeError',
    'A codec must have a name, encode and decode: received an object of type Object',
  ],
  [
    '{ codec: a codec named "json" }',
    { codec: { name: 'json', encode: never, decode: never } },
    'TypeError',
    'The codec\'s name must not be that of a built-in codec: received "json"',
  ],
  ['{ capacity: 0 }', { capacity: 0 }, 'RangeError', 'capacity must be a whole number from 1 to 268435456: received 0'],
  ['{ capacity: 1.5 }', { capacity: 1.5 }, 'RangeError', 'received 1.5'],
  ['{ capacity: "10" }', { capacity: '10' }, 'TypeError', 'capacity must be a number: received "10"'],
  ['{ capacity: null }', { capacity: null }, 'TypeError', 'received null'],
  [
    '{ codec: "int32", capacity: 4 }',
    { codec: 'int32', capacity: 4 },
    'TypeError',
    'A lazy of int32 has no capacity: received 4',
  ],
];

type LazyRow = Row<Numbers, State>;
type Uses = readonly (readonly [call: string, use: (lazy: Numbers) => unknown])[];

const ALL: Uses = [
  ['get(f)', (lazy) => lazy.get(never)],
  ['tryGet(f)', (lazy) => lazy.tryGet(never)],
  ['getAsync(f)', (lazy) => lazy.getAsync(never)],
  ['value', (lazy) => lazy.value],
  ['isDone', (lazy) => lazy.isDone],
  ['wait()', (lazy) => lazy.wait()],
  ['tryWait()', (lazy) => lazy.tryWait()],
  ['waitAsync()', (lazy) => lazy.waitAsync()],
  ['close()', (lazy) => lazy.close()],
  ['inspect()', (lazy) => lazy.inspect()],
  ['free()', (lazy) => lazy.free()],
];

export function lazyRows(): LazyRow[] {
  const rows = (state: State, rest: Pick<LazyRow, 'error' | 'code' | 'says'>, uses: Uses): LazyRow[] =>
    refusedRows(state, rest, uses);
  return [
    ...creationRows<Numbers, State>(LAZY, 'idle'),
    ...waitRows<Numbers, State>(WAITS, ['idle', 'there']),
    ...OPTIONS.map(([written, options, error, says]): LazyRow => {
      return {
        call: `Lazy.create(${written})`,
        state: 'idle',
        make: ({ arena }) => Lazy.create(wrong({ arena, ...options })),
        error,
        says,
      };
    }),
    {
      call: 'Lazy.from(handle, { codec: another })',
      state: 'idle',
      make: ({ ours }) => Lazy.from(ours.handle, { codec: { name: 'mine', encode: never, decode: never } }),
      error: 'TypeError',
      says: 'The lazy was made with the codec "json": received "mine"',
    },
    {
      call: 'Lazy.from({ ...handle, codec: "int32" })',
      state: 'idle',
      make: ({ ours }) => Lazy.from({ ...ours.handle, codec: 'int32' }),
      error: 'HandleError',
      code: 'SLUICE_HANDLE',
      says: 'does not hold a value of the codec "int32"',
    },
    ...rows('idle', LATE, [
      ['waitAsync({ timeout: 0 })', (lazy) => lazy.waitAsync({ timeout: 0 })],
      ['waitAsync({ timeout: 1 })', (lazy) => lazy.waitAsync({ timeout: 1 })],
    ]),
    ...rows('freed', FREED, ALL),
  ];
}

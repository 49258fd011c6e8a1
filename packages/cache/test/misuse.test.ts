import { creationRows } from '../../core/test/support/misuse-creation.ts';
import { misuseTable, wrong, type Kind, type Prepare, type Row } from '../../core/test/support/misuse-table.ts';
import { refusedRows, waitRows, type Waits } from '../../core/test/support/misuse-waits.ts';
import { SharedCache, type SharedCacheOptions } from '../src/index.ts';
import './support/kinds.ts';

type State = 'idle' | 'full' | 'freed';
type Numbers = SharedCache<number>;
type CacheRow = Row<Numbers, State>;

const SIZE = { maxBytes: 4096 };

const CACHE: Kind<Numbers> = {
  what: 'SharedCache',
  Class: SharedCache,
  create: (options) => SharedCache.create<number>(withSize(options)),
  from: (handle, options) => SharedCache.from<number>(handle, options),
};

function withSize(options: unknown): SharedCacheOptions<number> {
  return wrong(typeof options === 'object' && options !== null ? { ...SIZE, ...options } : options);
}

function nothing(): void {
  // The state is as before.
}

const STATES: Readonly<Record<State, Prepare<Numbers>>> = {
  idle: () => nothing,
  full: ({ theirs }) => {
    for (let key = 0; key < 16; key++) theirs.set(`key ${key}`, key);
    return nothing;
  },
  freed: ({ ours }) => {
    ours.free();
    return nothing;
  },
};

function never(): never {
  throw new Error('The function was called.');
}

const WAITS: Waits<Numbers> = {
  timeouts: [["tryGet('k', f, %)", (cache, timeout) => cache.tryGet('k', never, timeout)]],
  options: [["getAsync('k', f, %)", (cache, options) => cache.getAsync('k', never, options)]],
  bodies: [
    ["get('k', %)", (cache, body) => cache.get('k', wrong(body))],
    ["tryGet('k', %)", (cache, body) => cache.tryGet('k', wrong(body))],
    ["getAsync('k', %)", (cache, body) => cache.getAsync('k', wrong(body))],
  ],
};

const KEY_CALLS: readonly (readonly [call: string, use: (cache: Numbers, key: never) => unknown])[] = [
  ['get(%, f)', (cache, key) => cache.get(key, never)],
  ['tryGet(%, f)', (cache, key) => cache.tryGet(key, never)],
  ['getAsync(%, f)', (cache, key) => cache.getAsync(key, never)],
  ['peek(%)', (cache, key) => cache.peek(key)],
  ['has(%)', (cache, key) => cache.has(key)],
  ['set(%, 1)', (cache, key) => cache.set(key, 1)],
  ['delete(%)', (cache, key) => cache.delete(key)],
];

const WRONG_KEYS: readonly (readonly [written: string, key: unknown, error: string, says: string])[] = [
  ['7', 7, 'TypeError', 'The key must be a string or a Uint8Array: received 7'],
  ['undefined', undefined, 'TypeError', 'received undefined'],
  ['null', null, 'TypeError', 'received null'],
  ['new Uint16Array(1)', new Uint16Array(1), 'TypeError', 'received an object of type Uint16Array'],
  [
    'a string of 4096 units',
    'x'.repeat(4096),
    'RangeError',
    'The key may have at most 4095 UTF-16 code units: received 4096',
  ],
  ['4095 bytes', new Uint8Array(4095), 'RangeError', 'The key may have at most 4094 bytes: received 4095'],
];

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;

const VALUES: readonly (readonly [written: string, value: unknown, error: string, says: string])[] = [
  ['undefined', undefined, 'TypeError', "SharedCache 'bench': the value cannot be represented in JSON"],
  [
    '5 kB',
    'x'.repeat(5000),
    'RangeError',
    "SharedCache 'bench': a value may have at most 4036 bytes, received one of 5002",
  ],
];

const SIZES: readonly (readonly [written: string, options: unknown, error: string, says: string])[] = [
  ['{}', { maxBytes: undefined }, 'TypeError', 'maxBytes must be a number: received undefined'],
  ['{ maxBytes: "1 MB" }', { maxBytes: '1 MB' }, 'TypeError', 'maxBytes must be a number: received "1 MB"'],
  [
    '{ maxBytes: 4095 }',
    { maxBytes: 4095 },
    'RangeError',
    'maxBytes must be a whole number from 4096 to 536870912: received 4095',
  ],
  ['{ maxBytes: Infinity }', { maxBytes: Infinity }, 'RangeError', 'received Infinity'],
  ['{ maxBytes: 2 ** 26 } in an arena of 1 MB', { maxBytes: 2 ** 26 }, 'ArenaFullError', 'The arena is full'],
  ['{ ttl: 0 }', { ttl: 0 }, 'RangeError', 'ttl must be a whole number from 1 to 1099511627776: received 0'],
  ['{ ttl: -1 }', { ttl: -1 }, 'RangeError', 'received -1'],
  ['{ ttl: 0.5 }', { ttl: 0.5 }, 'RangeError', 'received 0.5'],
  ['{ ttl: "1s" }', { ttl: '1s' }, 'TypeError', 'ttl must be a number: received "1s"'],
  ['{ staleFor: -1 }', { staleFor: -1 }, 'RangeError', 'staleFor must be a whole number from 0 to 1099511627776'],
  ['{ keepDecoded: -1 }', { keepDecoded: -1 }, 'RangeError', 'keepDecoded must be a whole number from 0 to 1048576'],
  ['{ keepDecoded: true }', { keepDecoded: true }, 'TypeError', 'keepDecoded must be a number: received true'],
  ['{ max: 100 }', { max: 100 }, 'TypeError', 'Unknown option "max": expected one of maxBytes, ttl, staleFor'],
  ['{ codec: "msgpack" }', { codec: 'msgpack' }, 'TypeError', 'The codec must be'],
];

const SET_OPTIONS: readonly (readonly [written: string, options: unknown, error: string, says: string])[] = [
  ['null', null, 'TypeError', 'The options must be an object: received null'],
  ['5', 5, 'TypeError', 'The options must be an object: received 5'],
  ['{ ttl: 0 }', { ttl: 0 }, 'RangeError', 'ttl must be a whole number from 1'],
  ['{ maxAge: 5 }', { maxAge: 5 }, 'TypeError', 'Unknown option "maxAge": expected one of ttl.'],
];

const USES: readonly (readonly [call: string, use: (cache: Numbers) => unknown])[] = [
  ...KEY_CALLS.map(([call, use]) => [call.replace('%', "'k'"), (cache: Numbers) => use(cache, wrong('k'))] as const),
  ['clear()', (cache) => cache.clear()],
  ['statistics()', (cache) => cache.statistics()],
  ['inspect()', (cache) => cache.inspect()],
  ['name', (cache) => cache.name],
  ['free()', (cache) => cache.free()],
];

const CODEC = { name: 'mine', encode: () => new Uint8Array(1), decode: () => 1 };

const ROWS: readonly CacheRow[] = [
  ...waitRows<Numbers, State>(WAITS, ['idle', 'full']),
  ...KEY_CALLS.flatMap(([call, use]) =>
    WRONG_KEYS.map(([written, key, error, says]): CacheRow => {
      return {
        call: call.replace('%', written),
        state: 'full',
        make: ({ ours }) => use(ours, wrong(key)),
        error,
        says,
      };
    }),
  ),
  ...VALUES.map(([written, value, error, says]): CacheRow => {
    return {
      call: `set('k', ${written})`,
      state: 'full',
      make: ({ ours }) => ours.set('k', wrong(value)),
      error,
      says,
    };
  }),
  ...SET_OPTIONS.map(([written, options, error, says]): CacheRow => {
    const make: CacheRow['make'] = ({ ours }) => ours.set('key 1', 1, wrong(options));
    return { call: `set('key 1', 1, ${written})`, state: 'full', make, error, says };
  }),
  ...SIZES.map(([written, options, error, says]): CacheRow => {
    return {
      call: `SharedCache.create(${written})`,
      state: 'idle',
      make: ({ arena }) => SharedCache.create({ ...SIZE, arena, ...(options as object) }),
      error,
      says,
    };
  }),
  {
    call: 'from(handle, { codec: "bytes" })',
    state: 'idle',
    make: ({ ours }) => SharedCache.from(wrong(ours.handle), { codec: 'bytes' }),
    error: 'TypeError',
    says: 'The cache was created with the codec "json": received "bytes"',
  },
  {
    call: 'from(the handle of a cache with a codec of its own)',
    state: 'idle',
    make: ({ ours }) => SharedCache.from(wrong({ ...ours.handle, codec: 'mine' })),
    error: 'TypeError',
    says: 'The cache was created with the codec "mine": pass it, from(handle, { codec })',
  },
  {
    call: 'from(handle, { codec: mine })',
    state: 'idle',
    make: ({ ours }) => SharedCache.from(wrong(ours.handle), { codec: CODEC }),
    error: 'TypeError',
    says: 'The cache was created with the codec "json": received "mine"',
  },
  {
    call: "get('k', an async function)",
    state: 'idle',
    make: ({ ours }) =>
      ours.get(
        'k',
        wrong(async () => Promise.resolve(1)),
      ),
    ...MISUSE,
    says: "SharedCache 'bench' cannot compute a value by an async function",
  },
  {
    call: "getAsync('k', a generator)",
    state: 'idle',
    make: ({ ours }) =>
      ours.getAsync(
        'k',
        wrong(function* () {
          yield 1;
        }),
      ),
    ...MISUSE,
    says: 'cannot compute a value by a generator function',
  },
  ...refusedRows<Numbers, State>(
    'freed',
    { ...MISUSE, says: "The cache 'bench' was freed and cannot be used any more." },
    USES,
  ),
  // A cache has no policy of its own.
  ...creationRows<Numbers, State>(CACHE, 'idle').filter(({ call }) => !call.includes('policy')),
];

misuseTable(CACHE, STATES, ROWS);

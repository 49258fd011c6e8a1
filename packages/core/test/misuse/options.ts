import { Arena, Region, Semaphore } from '../../src/index.ts';
import { wrong, type Row } from './row.ts';

function create(written: string, permits: unknown, options: unknown, error: string, says: string): Row {
  const make: Row['make'] = ({ arena }) =>
    Semaphore.create(
      wrong(permits),
      typeof options === 'object' && options !== null ? { arena, ...options } : wrong(options),
    );
  return { call: `Semaphore.create(${written})`, make, error, says };
}

function arena(written: string, options: unknown, error: string, says: string): Row {
  return { call: `Arena.create(${written})`, make: () => Arena.create(wrong(options)), error, says };
}

function policy(written: string, given: unknown, error: string, says: string): Row[] {
  const policy = wrong(given);
  return [
    { call: `Arena.create({ policy: ${written} })`, make: () => Arena.create({ policy }), error, says },
    {
      call: `Semaphore.create(1, { policy: ${written} })`,
      make: ({ arena }) => Semaphore.create(1, { arena, policy }),
      error,
      says,
    },
    {
      call: `Semaphore.from(handle, { policy: ${written} })`,
      make: ({ sem }) => Semaphore.from(sem.handle, { policy }),
      error,
      says,
    },
  ];
}

const LONG = 'x'.repeat(61);

/** Calls of `create` that throw. */
export const optionRows: readonly Row[] = [
  create('-1', -1, {}, 'RangeError', 'permits must be a whole number from 0 to 2147483647: received -1'),
  create('1.5', 1.5, {}, 'RangeError', 'received 1.5'),
  create('NaN', Number.NaN, {}, 'RangeError', 'received NaN'),
  create('2 ** 31', 2 ** 31, {}, 'RangeError', 'received 2147483648'),
  create('"1"', '1', {}, 'TypeError', 'permits must be a number: received "1"'),
  create('1n', 1n, {}, 'TypeError', 'received 1n'),
  create('', undefined, {}, 'TypeError', 'received undefined'),
  create('6, { max: 5 }', 6, { max: 5 }, 'RangeError', 'permits must be a whole number from 0 to 5: received 6'),
  create('0, { max: 0 }', 0, { max: 0 }, 'RangeError', 'max must be a whole number from 1 to 2147483647: received 0'),
  create('0, { max: 2 ** 31 }', 0, { max: 2 ** 31 }, 'RangeError', 'received 2147483648'),
  create('0, { max: 1.5 }', 0, { max: 1.5 }, 'RangeError', 'received 1.5'),
  create('0, { max: "5" }', 0, { max: '5' }, 'TypeError', 'max must be a number: received "5"'),
  create('0, { max: null }', 0, { max: null }, 'TypeError', 'max must be a number: received null'),
  create('1, null', 1, null, 'TypeError', 'The options must be an object: received null'),
  create('1, "options"', 1, 'options', 'TypeError', 'The options must be an object: received "options"'),
  create('1, { name: 5 }', 1, { name: 5 }, 'TypeError', 'The name must be a string: received 5'),
  create(
    '1, { name: 61 characters }',
    1,
    { name: LONG },
    'RangeError',
    'The name may have 60 bytes in UTF-8: received 61',
  ),
  create('1, { name: 31 umlauts }', 1, { name: 'ü'.repeat(31) }, 'RangeError', 'received 62'),
  create(
    '1, { arena: {} }',
    1,
    { arena: {} },
    'TypeError',
    'The arena must be an Arena: received an object of type Object',
  ),
  create('1, { arena: arena.handle }', 1, { arena: Arena.default().handle }, 'TypeError', 'The arena must be an Arena'),
  create('1, { arena: null }', 1, { arena: null }, 'TypeError', 'The arena must be an Arena: received null'),

  create(
    '1, { maxx: 3 }',
    1,
    { maxx: 3 },
    'TypeError',
    'Unknown option "maxx": expected one of max, arena, name, policy, recovery.',
  ),
  create('1, { max: 3, Max: 3 }', 1, { max: 3, Max: 3 }, 'TypeError', 'Unknown option "Max"'),
  arena(
    '{ maxpages: 4 }',
    { maxpages: 4 },
    'TypeError',
    'Unknown option "maxpages": expected one of initialPages, maxPages, engine, policy.',
  ),
  {
    call: 'Region.create(8, { policy: {} })',
    make: ({ arena }) => Region.create(8, wrong({ arena, policy: {} })),
    error: 'TypeError',
    says: 'Unknown option "policy": expected one of arena, name.',
  },

  {
    call: 'Region.create(0)',
    make: ({ arena }) => Region.create(0, { arena }),
    error: 'RangeError',
    says: 'byteLength must be a whole number from 1 to',
  },
  {
    call: 'Region.create(-8)',
    make: ({ arena }) => Region.create(-8, { arena }),
    error: 'RangeError',
    says: 'received -8',
  },
  {
    call: 'Region.create("8")',
    make: ({ arena }) => Region.create(wrong('8'), { arena }),
    error: 'TypeError',
    says: 'received "8"',
  },
  {
    call: 'Region.create(8, null)',
    make: () => Region.create(8, wrong(null)),
    error: 'TypeError',
    says: 'The options must be an object: received null',
  },
  {
    call: 'Region.create(8, { name: 61 characters })',
    make: ({ arena }) => Region.create(8, { arena, name: LONG }),
    error: 'RangeError',
    says: 'received 61',
  },
  {
    call: 'Region.create(8, { arena: 1 })',
    make: () => Region.create(8, { arena: wrong(1) }),
    error: 'TypeError',
    says: 'The arena must be an Arena: received 1',
  },

  arena('null', null, 'TypeError', 'The options must be an object: received null'),
  arena('5', 5, 'TypeError', 'The options must be an object: received 5'),
  arena(
    '{ maxPages: 0 }',
    { maxPages: 0 },
    'RangeError',
    'maxPages must be a whole number from 1 to 32767: received 0',
  ),
  arena('{ maxPages: 32768 }', { maxPages: 32_768 }, 'RangeError', 'received 32768'),
  arena('{ maxPages: 1.5 }', { maxPages: 1.5 }, 'RangeError', 'received 1.5'),
  arena('{ maxPages: "4" }', { maxPages: '4' }, 'TypeError', 'maxPages must be a number: received "4"'),
  arena(
    '{ maxPages: 1, buckets: 4096 }',
    { maxPages: 1, policy: { buckets: 4096 } },
    'RangeError',
    'maxPages must be a whole number from 5',
  ),
  arena(
    '{ initialPages: 3, maxPages: 2 }',
    { initialPages: 3, maxPages: 2 },
    'RangeError',
    'initialPages must be a whole number from 1 to 2: received 3',
  ),
  arena('{ initialPages: 0 }', { initialPages: 0 }, 'RangeError', 'received 0'),
  arena('{ initialPages: NaN }', { initialPages: Number.NaN }, 'RangeError', 'received NaN'),
  arena(
    '{ engine: "js" }',
    { engine: 'js' },
    'TypeError',
    `The engine must be jsEngine from 'sluice/js' of the same version: received "js"`,
  ),
  arena('{ engine: 1 }', { engine: 1 }, 'TypeError', 'received 1'),
  arena('{ engine: null }', { engine: null }, 'TypeError', 'received null'),
  arena(
    '{ engine of another build }',
    { engine: { name: 'js', kernel: 'other', bind: () => ({}) } },
    'TypeError',
    'of the same version',
  ),

  ...policy('null', null, 'TypeError', 'The options must be an object: received null'),
  ...policy('"fast"', 'fast', 'TypeError', 'received "fast"'),
  ...policy(
    '{ spinMicros: -1 }',
    { spinMicros: -1 },
    'RangeError',
    'policy.spinMicros must be 0 to 1000000 us: received -1',
  ),
  ...policy('{ spinMicros: NaN }', { spinMicros: Number.NaN }, 'RangeError', 'received NaN'),
  ...policy('{ spinMicros: "20" }', { spinMicros: '20' }, 'RangeError', 'received "20"'),
  ...policy(
    '{ longTermThreshold: 1.5 }',
    { longTermThreshold: 1.5 },
    'RangeError',
    'policy.longTermThreshold must be a whole number from 0 to 1024: received 1.5',
  ),
  ...policy('{ longTermThreshold: -1 }', { longTermThreshold: -1 }, 'RangeError', 'received -1'),
  ...policy(
    '{ spinMicro: 1 }',
    { spinMicro: 1 },
    'TypeError',
    'Unknown option "spinMicro": expected one of longTermThreshold, spinMicros, buckets.',
  ),
  ...policy('{ buckets: 3 }', { buckets: 3 }, 'RangeError', 'policy.buckets must be a power of two: received 3'),
  ...policy(
    '{ buckets: 0 }',
    { buckets: 0 },
    'RangeError',
    'policy.buckets must be a whole number from 1 to 65536: received 0',
  ),
];

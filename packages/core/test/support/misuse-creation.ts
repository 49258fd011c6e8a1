// Wrong ways to create or open a primitive, common to all primitives.

import { Arena } from '../../src/index.ts';
import { LAYOUT_VERSION } from '../../src/kernel/layout.ts';
import { cutOff, sharedMemory, smallArena } from './invalid-memories.ts';
import { wrong, type Bench, type Kind, type Primitive, type Row } from './misuse-table.ts';

const LONG = 'x'.repeat(61);

const OPTIONS: readonly (readonly [written: string, options: unknown, error: string, says: string])[] = [
  ['null', null, 'TypeError', 'The options must be an object: received null'],
  ['"options"', 'options', 'TypeError', 'The options must be an object: received "options"'],
  ['7', 7, 'TypeError', 'The options must be an object: received 7'],
  ['{ name: 5 }', { name: 5 }, 'TypeError', 'The name must be a string: received 5'],
  ['{ name: null }', { name: null }, 'TypeError', 'The name must be a string: received null'],
  ['{ name: 61 characters }', { name: LONG }, 'RangeError', 'The name may have 60 bytes in UTF-8: received 61'],
  [
    '{ name: half a character }',
    { name: 'a\ud83d' },
    'RangeError',
    'The name must be well-formed Unicode: received "a\\ud83d", with half of a surrogate pair',
  ],
  ['{ name: 31 umlauts }', { name: 'ü'.repeat(31) }, 'RangeError', 'received 62'],
  ['{ arena: {} }', { arena: {} }, 'TypeError', 'The arena must be an Arena: received an object of type Object'],
  ['{ arena: arena.handle }', { arena: Arena.default().handle }, 'TypeError', 'The arena must be an Arena'],
  ['{ arena: null }', { arena: null }, 'TypeError', 'The arena must be an Arena: received null'],
  ['{ nmae: "mistyped" }', { nmae: 'mistyped' }, 'TypeError', 'Unknown option "nmae": expected one of '],
  ['{ Arena: undefined }', { Arena: undefined }, 'TypeError', 'Unknown option "Arena": expected one of '],
];

const POLICIES: readonly (readonly [written: string, policy: unknown, error: string, says: string])[] = [
  ['null', null, 'TypeError', 'The options must be an object: received null'],
  ['"fast"', 'fast', 'TypeError', 'received "fast"'],
  ['{ spinMicros: -1 }', { spinMicros: -1 }, 'RangeError', 'policy.spinMicros must be 0 to 1000000 us: received -1'],
  ['{ spinMicros: "20" }', { spinMicros: '20' }, 'RangeError', 'received "20"'],
  [
    '{ longTermThreshold: 1.5 }',
    { longTermThreshold: 1.5 },
    'RangeError',
    'must be a whole number from 0 to 1024: received 1.5',
  ],
  [
    '{ spinMillis: 1 }',
    { spinMillis: 1 },
    'TypeError',
    'Unknown option "spinMillis": expected one of longTermThreshold, spinMicros, buckets.',
  ],
];

const NOTHINGS: readonly (readonly [written: string, handle: unknown, says: string])[] = [
  ['undefined', undefined, 'received undefined'],
  ['null', null, 'received null'],
  ['"handle"', 'handle', 'received "handle"'],
  ['7', 7, 'received 7'],
  ['{}', {}, 'received kind undefined'],
];

type Change<P extends Primitive> = (bench: Bench<P>) => object;

/** Returns the wrong changes of a handle, each with a part of the expected message. */
function changes<P extends Primitive>(): readonly (readonly [written: string, change: Change<P>, says: string])[] {
  return [
    [
      'another layout version',
      () => ({ layout: 999 }),
      `its layout version is 999, this package's is ${LAYOUT_VERSION}`,
    ],
    ['no layout version', () => ({ layout: undefined }), 'its layout version is undefined'],
    ['no memory', () => ({ memory: undefined }), 'its memory is not shared WebAssembly memory but undefined'],
    [
      'a bare SharedArrayBuffer',
      () => ({ memory: new SharedArrayBuffer(8) }),
      'but an object of type SharedArrayBuffer',
    ],
    [
      'memory that is not shared',
      () => ({ memory: new WebAssembly.Memory({ initial: 1 }) }),
      'is not shared WebAssembly memory',
    ],
    ['a foreign memory', () => ({ memory: sharedMemory(1) }), 'its memory holds no arena'],
    ['a memory of no pages', () => ({ memory: sharedMemory(0) }), 'its memory holds no arena'],
    ['a memory that ends inside the heap', ({ arena }) => cutOff(arena), 'its memory is truncated to 65536 bytes'],
    ['a memory that ends before the heap', () => smallArena(2048), 'its memory is truncated to 65536 bytes'],
    ['a memory of another layout version', () => smallArena(16, 999), 'its memory has layout version 999'],
    ['the id of another arena', () => ({ arena: 'feed' }), 'it names arena "feed", its memory holds'],
    ['an address before the heap', () => ({ address: 0 }), 'address 0 is not a block of the arena'],
    ['a negative address', () => ({ address: -128 }), 'address -128 is not a block'],
    ['an address behind the heap', () => ({ address: 2 ** 30 }), 'address 1073741824 is not a block'],
    ['a misaligned address', ({ ours }) => ({ address: ours.handle.address + 4 }), 'is not a block of the arena'],
    [
      'an address that is a string',
      ({ ours }) => ({ address: `${ours.handle.address}` }),
      'is not a block of the arena',
    ],
    [
      'an address inside a block',
      ({ arena }) => ({ address: (arena.inspect().blocks[0]?.address ?? 0) + 128 }),
      'was freed',
    ],
    [
      'the address of a region',
      ({ region: { handle } }) => ({ address: handle.address, tag: handle.tag }),
      'holds another kind',
    ],
    [
      'the address of a semaphore',
      ({ sem: { handle } }) => ({ address: handle.address, tag: handle.tag }),
      'holds another kind',
    ],
    ['another tag', ({ ours }) => ({ tag: ours.handle.tag + 1 }), 'what it led to was freed'],
    ['tag 0', () => ({ tag: 0 }), 'its tag is 0'],
    ['a negative tag', ({ ours }) => ({ tag: -ours.handle.tag }), 'its tag is -'],
    ['no tag', () => ({ tag: undefined }), 'its tag is undefined'],
  ];
}

const HANDLE_ERROR = { error: 'HandleError', code: 'SLUICE_HANDLE' } as const;

/** The objects that a program may post by mistake instead of the handle. */
export type Parts<P> = Readonly<Record<string, (primitive: P) => object>>;

/** What `create`, `from`, the constructor and structured clone refuse. */
export function creationRows<P extends Primitive, State extends string>(
  kind: Kind<P>,
  state: State,
  parts: Parts<P> = {},
): Row<P, State>[] {
  const { what } = kind;
  const all: Parts<P> = { 'the instance': (primitive) => primitive, ...parts };
  return [
    ...OPTIONS.map(([written, options, error, says]): Row<P, State> => {
      const make: Row<P, State>['make'] = ({ arena }) =>
        kind.create(typeof options === 'object' && options !== null ? { arena, ...options } : wrong(options));
      return { call: `${what}.create(${written})`, state, make, error, says };
    }),
    ...POLICIES.flatMap(([written, policy, error, says]): Row<P, State>[] => {
      const rest = { state, error, says };
      return [
        {
          call: `${what}.create({ policy: ${written} })`,
          make: ({ arena }) => kind.create({ arena, policy }),
          ...rest,
        },
        {
          call: `${what}.from(handle, { policy: ${written} })`,
          make: ({ ours }) => kind.from(ours.handle, { policy }),
          ...rest,
        },
      ];
    }),
    {
      call: `${what}.from(handle, null)`,
      state,
      make: ({ ours }) => kind.from(ours.handle, wrong(null)),
      error: 'TypeError',
      says: 'The options must be an object: received null',
    },
    {
      call: `new ${what}()`,
      state,
      make: () => new (wrong(kind.Class) as new () => P)(),
      error: 'MisuseError',
      code: 'SLUICE_MISUSE',
      says: `Use ${what}.create or ${what}.from: the constructor is not for callers.`,
    },
    ...NOTHINGS.map(([written, handle, says]): Row<P, State> => {
      return { call: `${what}.from(${written})`, state, make: () => kind.from(wrong(handle)), ...HANDLE_ERROR, says };
    }),
    ...changes<P>().map(([written, change, says]): Row<P, State> => {
      const make: Row<P, State>['make'] = (bench) => kind.from({ ...bench.ours.handle, ...change(bench) });
      return { call: `${what}.from(${written})`, state, make, ...HANDLE_ERROR, says };
    }),
    ...otherHandleRows(kind, state),
    ...Object.entries(all).flatMap(([name, part]) => postRows(name, part, state)),
  ];
}

function otherHandleRows<P extends Primitive, State extends string>(kind: Kind<P>, state: State): Row<P, State>[] {
  const from = (written: string, handle: (bench: Bench<P>) => unknown, says: string): Row<P, State> => {
    const make: Row<P, State>['make'] = (bench) => kind.from(wrong(handle(bench)));
    return { call: `${kind.what}.from(${written})`, state, make, ...HANDLE_ERROR, says };
  };
  return [
    from('the instance', ({ ours }) => ours, 'received an instance: pass its `handle`'),
    from('a semaphore’s handle', ({ sem }) => sem.handle, 'received kind "sluice.semaphore"'),
    from('a region’s handle', ({ region }) => region.handle, 'received kind "sluice.region"'),
    from('an arena’s handle', ({ arena }) => arena.handle, 'received kind "sluice.arena"'),
  ];
}

/**
 * Posting the object instead of its handle must fail at once. On some platforms it would otherwise arrive as an empty
 * object.
 */
function postRows<P extends Primitive, State extends string>(
  name: string,
  part: (primitive: P) => object,
  state: State,
): Row<P, State>[] {
  const refused = { state, error: 'DataCloneError', says: 'could not be cloned' };
  return [
    { call: `structuredClone(${name})`, make: ({ ours }) => structuredClone(part(ours)), ...refused },
    { call: `port.postMessage({ deep: [${name}] })`, make: ({ ours }) => postDeep(part(ours)), ...refused },
  ];
}

function postDeep(part: object): void {
  const { port1, port2 } = new MessageChannel();
  try {
    port1.postMessage({ deep: [part] });
  } finally {
    port1.close();
    port2.close();
  }
}

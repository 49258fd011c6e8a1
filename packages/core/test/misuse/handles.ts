import { Arena, Region, Semaphore } from '../../src/index.ts';
import { LAYOUT_VERSION } from '../../src/kernel/layout.ts';
import { cutOff, sharedMemory, smallArena } from '../support/invalid-memories.ts';
import { wrong, type Bench, type Row } from './row.ts';

type Change = (bench: Bench) => object;

function semaphore(what: string, change: Change, says: string): Row {
  return {
    call: `Semaphore.from(${what})`,
    make: (bench) => Semaphore.from(wrong({ ...bench.sem.handle, ...change(bench) })),
    error: 'HandleError',
    code: 'SLUICE_HANDLE',
    says,
  };
}

function region(what: string, change: Change, says: string): Row {
  return {
    ...semaphore(what, change, says),
    call: `Region.from(${what})`,
    make: (bench) => Region.from(wrong({ ...bench.region.handle, ...change(bench) })),
  };
}

function nothing(written: string, value: unknown, says: string): Row[] {
  return [Semaphore, Region, Arena].map((place) => ({
    call: `${place.name}.from(${written})`,
    make: () => place.from(wrong(value)),
    error: 'HandleError',
    code: 'SLUICE_HANDLE',
    says,
  }));
}

function instance(written: string, make: Row['make'], says = 'received an instance: pass its `handle`'): Row {
  return { call: written, make, error: 'HandleError', code: 'SLUICE_HANDLE', says };
}

/**
 * Posting the object instead of its handle must fail at once. On some platforms it would otherwise arrive as an empty
 * object.
 */
function post(what: string, pick: (bench: Bench) => object): Row[] {
  const refused = { error: 'DataCloneError', says: 'could not be cloned' };
  return [
    { call: `structuredClone(${what})`, make: (bench) => structuredClone(pick(bench)), ...refused },
    {
      call: `port.postMessage({ deep: [${what}] })`,
      make: (bench) => {
        const { port1, port2 } = new MessageChannel();
        try {
          port1.postMessage({ deep: [pick(bench)] });
        } finally {
          port1.close();
          port2.close();
        }
      },
      ...refused,
    },
  ];
}

/** Calls with handles of nothing that exists, and with objects that are no handles. */
export const handleRows: readonly Row[] = [
  ...nothing('undefined', undefined, 'received undefined'),
  ...nothing('null', null, 'received null'),
  ...nothing('"handle"', 'handle', 'received "handle"'),
  ...nothing('{}', {}, 'received kind undefined'),
  instance('Semaphore.from(sem)', ({ sem }) => Semaphore.from(wrong(sem))),
  instance('Region.from(region)', ({ region }) => Region.from(wrong(region))),
  instance('Arena.from(arena)', ({ arena }) => Arena.from(wrong(arena))),
  instance(
    'Semaphore.from(region.handle)',
    ({ region }) => Semaphore.from(wrong(region.handle)),
    'received kind "sluice.region"',
  ),
  instance('Region.from(sem.handle)', ({ sem }) => Region.from(wrong(sem.handle)), 'received kind "sluice.semaphore"'),
  instance('Arena.from(sem.handle)', ({ sem }) => Arena.from(wrong(sem.handle)), 'received kind "sluice.semaphore"'),
  instance(
    'Semaphore.from(arena.handle)',
    ({ arena }) => Semaphore.from(wrong(arena.handle)),
    'received kind "sluice.arena"',
  ),

  semaphore(
    'another layout version',
    () => ({ layout: 999 }),
    `its layout version is 999, this package's is ${LAYOUT_VERSION}`,
  ),
  semaphore('no layout version', () => ({ layout: undefined }), 'its layout version is undefined'),
  semaphore('no memory', () => ({ memory: undefined }), 'its memory is not shared WebAssembly memory but undefined'),
  semaphore(
    'a bare SharedArrayBuffer',
    () => ({ memory: new SharedArrayBuffer(8) }),
    'but an object of type SharedArrayBuffer',
  ),
  semaphore(
    'memory that is not shared',
    () => ({ memory: new WebAssembly.Memory({ initial: 1 }) }),
    'is not shared WebAssembly memory',
  ),
  semaphore('a foreign memory', () => ({ memory: sharedMemory(1) }), 'its memory holds no arena'),
  semaphore('a memory of no pages', () => ({ memory: sharedMemory(0) }), 'its memory holds no arena'),
  semaphore(
    'a memory that ends inside the heap',
    ({ arena }) => cutOff(arena),
    'its memory is truncated to 65536 bytes',
  ),
  semaphore('a memory that ends before the heap', () => smallArena(2048), 'its memory is truncated to 65536 bytes'),
  semaphore('a memory of another layout version', () => smallArena(16, 999), 'its memory has layout version 999'),
  semaphore('the id of another arena', () => ({ arena: 'feed' }), 'it names arena "feed", its memory holds'),
  semaphore('an id that is no string', () => ({ arena: 12 }), 'it names arena 12'),
  semaphore('an address before the heap', () => ({ address: 0 }), 'address 0 is not a block of the arena'),
  semaphore('a negative address', () => ({ address: -128 }), 'address -128 is not a block'),
  semaphore('an address behind the heap', () => ({ address: 2 ** 30 }), 'address 1073741824 is not a block'),
  semaphore('a misaligned address', ({ sem }) => ({ address: sem.handle.address + 4 }), 'is not a block of the arena'),
  semaphore(
    'a fractional address',
    ({ sem }) => ({ address: sem.handle.address + 0.5 }),
    'is not a block of the arena',
  ),
  semaphore(
    'an address that is a string',
    ({ sem }) => ({ address: `${sem.handle.address}` }),
    'is not a block of the arena',
  ),
  semaphore(
    'an address inside a block',
    ({ arena }) => ({ address: (arena.inspect().blocks[0]?.address ?? 0) + 128 }),
    'was freed',
  ),
  semaphore(
    'the address of a region',
    ({ region }) => ({ address: region.handle.address, tag: region.handle.tag }),
    'holds another kind',
  ),
  semaphore('another tag', ({ sem }) => ({ tag: sem.handle.tag + 1 }), 'what it led to was freed'),
  semaphore('tag 0', () => ({ tag: 0 }), 'its tag is 0'),
  semaphore('a negative tag', ({ sem }) => ({ tag: -sem.handle.tag }), 'its tag is -'),
  semaphore('no tag', () => ({ tag: undefined }), 'its tag is undefined'),
  {
    ...semaphore('', () => ({}), 'its memory is truncated to 65536 bytes'),
    call: 'Arena.from(a memory that ends inside the heap)',
    make: ({ arena }) => Arena.from({ ...arena.handle, ...cutOff(arena) }),
  },
  region(
    'the address of a semaphore',
    ({ sem }) => ({ address: sem.handle.address, tag: sem.handle.tag }),
    'holds another kind',
  ),
  region('another layout version', () => ({ layout: 0 }), 'its layout version is 0'),
  {
    call: 'Region.from(more bytes than its block has)',
    make: ({ region }) => Region.from({ ...region.handle, byteLength: 1000 }),
    error: 'RangeError',
    says: 'handle.byteLength must be a whole number from 1 to 128: received 1000',
  },
  { ...semaphore('the handle of a freed one', () => ({}), 'what it led to was freed'), state: 'freed' },

  ...post('sem', ({ sem }) => sem),
  ...post('arena', ({ arena }) => arena),
  ...post('region', ({ region }) => region),
];

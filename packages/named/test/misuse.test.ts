// Tests wrong calls: the error of each, and that nothing changed.

import { expect, test } from 'vitest';
import { Arena, Region, Semaphore, type SluiceErrorCode } from '../../core/src/index.ts';
import { wrong } from '../../core/test/support/misuse-table.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { findNamed, forgetNamed, freeNamed, KeyedMutex, listNamed, named, namedAsync } from '../src/index.ts';
import './support/kinds.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

interface Bench {
  readonly arena: Arena;
  readonly keyed: KeyedMutex;
  /** The instance of another agent, which owns the key 'theirs'. */
  readonly theirs: KeyedMutex;
  readonly freed: KeyedMutex;
  readonly region: Region;
}

interface Row {
  readonly call: string;
  readonly make: (bench: Bench) => unknown;
  readonly error: string;
  readonly code?: SluiceErrorCode;
  readonly says: string;
}

const MISUSE = { error: 'MisuseError', code: 'SLUICE_MISUSE' } as const;
const HANDLE = { error: 'HandleError', code: 'SLUICE_HANDLE' } as const;
const LONG = 'x'.repeat(4097);

const KEY_CALLS: readonly (readonly [string, (keyed: KeyedMutex, key: string) => unknown])[] = [
  ['at(%)', (keyed, key) => keyed.at(key)],
  ['lock(%)', (keyed, key) => keyed.lock(key)],
  ['tryLock(%)', (keyed, key) => keyed.tryLock(key)],
  ['tryLock(%, 5)', (keyed, key) => keyed.tryLock(key, 5)],
  ['lockAsync(%)', (keyed, key) => keyed.lockAsync(key)],
  ['unlock(%)', (keyed, key) => keyed.unlock(key)],
  ['hold(%)', (keyed, key) => keyed.hold(key)],
  ['tryHold(%)', (keyed, key) => keyed.tryHold(key)],
  ['holdAsync(%)', (keyed, key) => keyed.holdAsync(key)],
  ['run(%, body)', (keyed, key) => keyed.run(key, () => 1)],
  ['runAsync(%, body)', (keyed, key) => keyed.runAsync(key, () => 1)],
  ['markConsistent(%)', (keyed, key) => keyed.markConsistent(key)],
  ['takeOver(%)', (keyed, key) => keyed.takeOver(key)],
  ['takeOverAsync(%)', (keyed, key) => keyed.takeOverAsync(key)],
  ['owns(%)', (keyed, key) => keyed.owns(key)],
];

const KEYS: readonly Row[] = KEY_CALLS.flatMap(([call, use]): Row[] => [
  {
    call: call.replace('%', '7'),
    make: ({ keyed }) => use(keyed, wrong(7)),
    error: 'TypeError',
    says: 'The key must be a string: received 7',
  },
  {
    call: call.replace('%', 'undefined'),
    make: ({ keyed }) => use(keyed, wrong(undefined)),
    error: 'TypeError',
    says: 'The key must be a string: received undefined',
  },
  {
    call: call.replace('%', 'a key of 4097 units'),
    make: ({ keyed }) => use(keyed, LONG),
    error: 'RangeError',
    says: 'The key may have at most 4096 UTF-16 code units: received 4097',
  },
  {
    call: `${call.replace('%', "'k'")} of a freed one`,
    make: ({ freed }) => use(freed, 'k'),
    ...MISUSE,
    says: "The keyed mutex 'gone' was freed and cannot be used any more.",
  },
]);

const USES: readonly Row[] = [
  {
    call: "unlock('k') of a key that no agent owns",
    make: ({ keyed }) => keyed.unlock('k'),
    ...MISUSE,
    says: `KeyedMutex 'bench', key "k" cannot be unlocked: this agent (agent`,
  },
  {
    call: "unlock('theirs')",
    make: ({ keyed }) => keyed.unlock('theirs'),
    ...MISUSE,
    says: "KeyedMutex 'bench: theirs' cannot be unlocked: this agent (agent",
  },
  {
    call: "lock('ours') by its owner",
    make: ({ keyed }) => keyed.lock('ours'),
    ...MISUSE,
    says: "KeyedMutex 'bench: ours' is owned by this agent",
  },
  {
    call: "tryLock('ours', Infinity) by its owner",
    make: ({ keyed }) => keyed.tryLock('ours', Infinity),
    ...MISUSE,
    says: 'is owned by this agent',
  },
  {
    call: "run('ours', body) by its owner",
    make: ({ keyed }) => keyed.run('ours', () => 1),
    ...MISUSE,
    says: 'is owned by this agent',
  },
  {
    call: "takeOver('ours') by its owner",
    make: ({ keyed }) => keyed.takeOver('ours'),
    ...MISUSE,
    says: 'is owned by this agent',
  },
  {
    call: "markConsistent('k')",
    make: ({ keyed }) => keyed.markConsistent('k'),
    ...MISUSE,
    says: 'cannot be marked consistent: this agent does not own it',
  },
  {
    call: "markConsistent('ours')",
    make: ({ keyed }) => keyed.markConsistent('ours'),
    ...MISUSE,
    says: 'was not inherited from an owner that died',
  },
  {
    call: "run('k', an async function)",
    make: ({ keyed }) =>
      keyed.run(
        'k',
        wrong(async () => Promise.resolve(1)),
      ),
    ...MISUSE,
    says: 'Use runAsync',
  },
  {
    call: "run('k', 1)",
    make: ({ keyed }) => keyed.run('k', wrong(1)),
    error: 'TypeError',
    says: 'The callback must be a function',
  },
  {
    call: "tryLock('k', -1)",
    make: ({ keyed }) => keyed.tryLock('k', -1),
    error: 'RangeError',
    says: 'The timeout must be 0 ms or more: received -1',
  },
  {
    call: "tryLock('k', '5')",
    make: ({ keyed }) => keyed.tryLock('k', wrong('5')),
    error: 'TypeError',
    says: 'The timeout must be a number',
  },
  {
    call: "lockAsync('k', { timeout: -1 })",
    make: ({ keyed }) => keyed.lockAsync('k', { timeout: -1 }),
    error: 'RangeError',
    says: 'The timeout must be 0 ms or more',
  },
  {
    call: "lockAsync('k', { late: 1 })",
    make: ({ keyed }) => keyed.lockAsync('k', wrong({ late: 1 })),
    error: 'TypeError',
    says: 'Unknown option "late"',
  },
  {
    call: "lockAsync('k', { signal: 1 })",
    make: ({ keyed }) => keyed.lockAsync('k', wrong({ signal: 1 })),
    error: 'TypeError',
    says: 'signal',
  },
  {
    call: "lockAsync('theirs', { timeout: 1 })",
    make: ({ keyed }) => keyed.lockAsync('theirs', { timeout: 1 }),
    error: 'TimeoutError',
    code: 'SLUICE_TIMEOUT',
    says: "KeyedMutex 'bench: theirs' could not be locked within 1 ms",
  },
  {
    call: 'free() while keys are owned',
    make: ({ keyed }) => keyed.free(),
    ...MISUSE,
    says: 'is in use and cannot be freed',
  },
  {
    call: 'free() of a freed one',
    make: ({ freed }) => freed.free(),
    ...MISUSE,
    says: "The keyed mutex 'gone' was freed",
  },
  {
    call: 'inspect() of a freed one',
    make: ({ freed }) => freed.inspect(),
    ...MISUSE,
    says: "The keyed mutex 'gone' was freed",
  },
  { call: 'name of a freed one', make: ({ freed }) => freed.name, ...MISUSE, says: "The keyed mutex 'gone' was freed" },
  {
    call: 'postMessage(keyed)',
    make: ({ keyed }) => structuredClone(keyed),
    error: 'DataCloneError',
    says: 'post its handle',
  },
  {
    call: 'postMessage(at(key))',
    make: ({ keyed }) => structuredClone(keyed.at('k')),
    error: 'DataCloneError',
    says: 'post its handle',
  },
  {
    call: 'new KeyedMutex()',
    make: () => new (KeyedMutex as unknown as new () => KeyedMutex)(),
    ...MISUSE,
    says: 'Use KeyedMutex.create or KeyedMutex.from',
  },
  {
    call: "create({ ownerDied: 'ask' })",
    make: ({ arena }) => KeyedMutex.create({ arena, ownerDied: wrong('ask') }),
    error: 'TypeError',
    says: "ownerDied must be 'notify' or 'forget': received \"ask\"",
  },
  {
    call: 'create({ buckets: 1 })',
    make: ({ arena }) => KeyedMutex.create(wrong({ arena, buckets: 1 })),
    error: 'TypeError',
    says: 'Unknown option "buckets"',
  },
  {
    call: 'create({ name: 61 bytes })',
    make: ({ arena }) => KeyedMutex.create({ arena, name: 'x'.repeat(61) }),
    error: 'RangeError',
    says: 'The name may have 60 bytes',
  },
  {
    call: 'create({ arena: 1 })',
    make: () => KeyedMutex.create({ arena: wrong(1) }),
    error: 'TypeError',
    says: 'The arena must be an Arena',
  },
  {
    call: 'from(undefined)',
    make: () => KeyedMutex.from(wrong(undefined)),
    ...HANDLE,
    says: 'Not a handle of kind sluice.keyed-mutex',
  },
  {
    call: 'from(the handle of a mutex)',
    make: ({ arena }) => KeyedMutex.from(wrong(Mutex.create({ arena }).handle)),
    ...HANDLE,
    says: 'received kind "sluice.mutex"',
  },
  {
    call: 'from(a forged handle of a mutex)',
    make: ({ arena }) => KeyedMutex.from({ ...Mutex.create({ arena }).handle, kind: 'sluice.keyed-mutex' }),
    ...HANDLE,
    says: 'holds another kind',
  },
  {
    call: 'from(the handle of a freed one)',
    make: ({ freed }) => KeyedMutex.from(freed.handle),
    ...HANDLE,
    says: 'what it led to was freed',
  },
];

const never = (): never => {
  throw new Error('The creator was called.');
};

const NAMES: readonly Row[] = [
  ...(
    [
      ['named(arena, %, Mutex)', (arena, name) => named(arena, name, Mutex, never)],
      ['namedAsync(arena, %, Mutex)', (arena, name) => namedAsync(arena, name, Mutex, never)],
      ['findNamed(arena, %, Mutex)', (arena, name) => findNamed(arena, name, Mutex)],
      ['forgetNamed(arena, %)', (arena, name) => forgetNamed(arena, name)],
      ['freeNamed(arena, %, Mutex)', (arena, name) => freeNamed(arena, name, Mutex)],
    ] as readonly (readonly [string, (arena: Arena, name: string) => unknown])[]
  ).flatMap(([call, use]): Row[] => [
    {
      call: call.replace('%', '7'),
      make: ({ arena }) => use(arena, wrong(7)),
      error: 'TypeError',
      says: 'The name must be a string: received 7',
    },
    {
      call: call.replace('%', "''"),
      make: ({ arena }) => use(arena, ''),
      error: 'RangeError',
      says: 'The name must not be empty',
    },
    {
      call: call.replace('%', '4097 units'),
      make: ({ arena }) => use(arena, LONG),
      error: 'RangeError',
      says: 'The name may have at most 4096 UTF-16 code units: received 4097',
    },
    {
      call: call.replace('arena', 'undefined').replace('%', "'n'"),
      make: () => use(wrong(undefined), 'n'),
      error: 'TypeError',
      says: 'The arena must be an Arena: received undefined',
    },
    {
      call: call.replace('arena', '7').replace('%', "'n'"),
      make: () => use(wrong(7), 'n'),
      error: 'TypeError',
      says: 'The arena must be an Arena',
    },
  ]),
  {
    call: "named(arena, 'n', {})",
    make: ({ arena }) => named(arena, 'n', wrong({})),
    error: 'TypeError',
    says: 'The kind must have a function from',
  },
  {
    call: "named(arena, 'n', undefined)",
    make: ({ arena }) => named(arena, 'n', wrong(undefined)),
    error: 'TypeError',
    says: 'The kind must have a function from',
  },
  {
    call: "named(arena, 'n', { from })",
    make: ({ arena }) => named(arena, 'n', wrong({ from: never })),
    error: 'TypeError',
    says: 'The kind must have a function create',
  },
  {
    call: "named(arena, 'n', Mutex, 7)",
    make: ({ arena }) => named(arena, 'n', Mutex, wrong(7)),
    error: 'TypeError',
    says: 'The callback must be a function: received 7',
  },
  {
    call: "namedAsync(arena, 'n', Mutex, create, { timeout: -1 })",
    make: ({ arena }) => namedAsync(arena, 'n', Mutex, never, { timeout: -1 }),
    error: 'RangeError',
    says: 'The timeout must be 0 ms or more',
  },
  {
    call: "namedAsync(arena, 'n', Mutex, create, { late: 1 })",
    make: ({ arena }) => namedAsync(arena, 'n', Mutex, never, wrong({ late: 1 })),
    error: 'TypeError',
    says: 'Unknown option "late"',
  },
  {
    call: "named(arena, 'taken', Semaphore, create)",
    make: ({ arena }) => named(arena, 'taken', Semaphore, never),
    ...MISUSE,
    says: 'The name "taken" leads to a primitive of kind sluice.mutex',
  },
];

function benchOf(): Bench {
  const arena = Arena.create({ maxPages: 16, policy: { buckets: 16 } });
  const region = Region.create(64, { arena });
  const keyed = KeyedMutex.create({ arena, name: 'bench' });
  const theirs = openAs(secondAgent(arena), keyed.handle, (handle) => KeyedMutex.from(handle));
  const freed = KeyedMutex.create({ arena, name: 'gone' });
  freed.free();
  theirs.lock('theirs');
  keyed.lock('ours');
  named(arena, 'taken', Mutex);
  return { arena, keyed, theirs, freed, region };
}

function look({ arena, keyed }: Bench): unknown {
  const { agents, elements } = arena.inspect();
  const holds = agents.map(({ agent, holds: held, waits }) => ({
    agent,
    held: held.map(({ address }) => address),
    waits: waits.length,
  }));
  return {
    holds,
    waiting: elements.waiting,
    keys: keyed.inspect().keys.map(({ key, owner }) => ({ key, owner })),
    names: listNamed(arena),
  };
}

async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make();
  } catch (failure) {
    return failure;
  }
  throw new Error('The call did not fail.');
}

const ROWS = [...KEYS, ...USES, ...NAMES];

test.each(ROWS.map((row) => [row.call, row.error, row] as const))(
  '%s throws a %s and changes nothing',
  async (_call, error, { make, code, says }) => {
    const bench = benchOf();
    const before = look(bench);
    const failure = await errorOf(() => make(bench));
    expect(failure).toMatchObject(code === undefined ? { name: error } : { name: error, code });
    expect((failure as Error).message).toContain(says);
    expect(withoutAges(look(bench))).toEqual(withoutAges(before));
  },
);

test('no row is listed twice', () => {
  const calls = ROWS.map(({ call }) => call);
  expect(calls.filter((call, index) => calls.indexOf(call) !== index)).toEqual([]);
});

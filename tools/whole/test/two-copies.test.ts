// Tests two copies of the packages in one thread, as when a page loads two bundles. One copy gets objects of the other.

import { beforeAll, describe, expect, test, vi } from 'vitest';

const load = async () => {
  vi.resetModules();
  const [core, words, buffers, limits] = await Promise.all([
    import('@sluice/core'),
    import('@sluice/address-wait'),
    import('@sluice/bounded-buffer'),
    import('@sluice/limit'),
  ]);
  return { ...core, ...words, ...buffers, ...limits };
};
type Copy = Awaited<ReturnType<typeof load>>;

let ours: Copy;
let theirs: Copy;
beforeAll(async () => {
  theirs = await load();
  ours = await load();
});

const bad = (value: unknown): never => value as never;

interface Meeting {
  readonly name: string;
  readonly className: string;
  readonly meet: () => unknown;
}

const MEETINGS: readonly Meeting[] = [
  {
    name: 'an arena as the arena of a semaphore',
    className: 'Arena',
    meet: () => ours.Semaphore.create(1, { arena: bad(theirs.Arena.default()) }),
  },
  {
    name: 'an arena as the arena of a region',
    className: 'Arena',
    meet: () => ours.Region.create(4, { arena: bad(theirs.Arena.default()) }),
  },
  {
    name: 'an arena as the arena of a buffer',
    className: 'Arena',
    meet: () => ours.BoundedBuffer.create({ codec: 'int32', arena: bad(theirs.Arena.default()) }),
  },
  {
    name: 'a region as the region of a word',
    className: 'Region',
    meet: () => ours.SharedWord.at(bad(theirs.Region.create(4)), 0),
  },
  {
    name: 'a word to wait on',
    className: 'SharedWord',
    meet: () => ours.wakeByAddressAll(bad(theirs.SharedWord.create())),
  },
  { name: 'a word as a key', className: 'SharedWord', meet: () => ours.addressSignal(bad(theirs.SharedWord.create())) },
  {
    name: 'a key of a word',
    className: 'SharedWord',
    meet: () => ours.addressSignal(bad(theirs.keyOf(theirs.SharedWord.create(), 1))),
  },
  {
    name: 'a buffer to write in place',
    className: 'BoundedBuffer',
    meet: () => new ours.BufferWriter(bad(theirs.BoundedBuffer.create({ codec: 'int32' }))),
  },
  {
    name: 'a semaphore as the slots of a limit',
    className: 'Semaphore',
    meet: () => ours.createLimit(bad(theirs.Semaphore.create(1))),
  },
];

describe('an instance of another copy throws an error that says what to do', () => {
  test.each(MEETINGS)('$name', ({ className, meet }) => {
    const advice = 'is of another copy of Sluice. Nothing was changed. Load one copy (';
    expect(meet).toThrow(
      expect.objectContaining({ code: 'SLUICE_MISUSE', message: expect.stringContaining(advice) as string }),
    );
    expect(meet).toThrow(`or open it here: ${className}.from(its.handle).`);
  });
});

test('an instance of another copy in place of a handle throws, and the message names the handle', () => {
  for (const open of [
    () => ours.Semaphore.from(bad(theirs.Semaphore.create(1))),
    () => ours.SharedWord.from(bad(theirs.SharedWord.create())),
  ]) {
    expect(open).toThrow('received an instance: pass its `handle`');
  }
});

test('a handle of another copy opens, and the thread has two agents in that arena', async () => {
  const made = theirs.Semaphore.create(0);
  const opened = ours.Semaphore.from(made.handle);
  expect(opened.arena.agentId).not.toBe(made.arena.agentId);
  const waits = opened.acquireAsync();
  made.release();
  await waits;
  opened.release();
  expect(ours.createLimit.from(theirs.createLimit(2).handle).concurrency).toBe(2);
});

describe('the default arena of two copies', () => {
  test('is one arena, with an agent for each copy', () => {
    const [mine, other] = [ours.Arena.default(), theirs.Arena.default()];
    expect(other.id).toBe(mine.id);
    expect(other.agentId).not.toBe(mine.agentId);
  });

  test('stays the default of a copy that left it while the other copy is still in it', () => {
    const { id, agentId } = ours.Arena.default();
    ours.Arena.default().leave();
    expect(ours.Arena.default().id).toBe(id);
    expect(ours.Arena.default().agentId).not.toBe(agentId);
  });

  test('is a new one after every copy has left', async () => {
    const [first, second] = [await load(), await load()];
    const { id } = first.Arena.default();
    for (const copy of [first, second, ours, theirs]) copy.Arena.default().leave();
    const next = second.Arena.default();
    expect(next.id).not.toBe(id);
    expect(first.Arena.default().id).toBe(next.id);
    for (const copy of [first, second]) copy.Arena.default().leave();
  });

  test('is separate for each copy if the global object accepts no property', async () => {
    for (const copy of [ours, theirs]) copy.Arena.default().leave();
    const copies = [await load(), await load()] as const;
    const define = vi.spyOn(Reflect, 'defineProperty').mockReturnValue(false);
    const ids = copies.map((copy) => copy.Arena.default().id);
    define.mockRestore();
    expect(ids[0]).not.toBe(ids[1]);
    copies[0].Arena.default().leave();
    expect(copies[0].Arena.default().id).not.toBe(ids[0]);
  });
});

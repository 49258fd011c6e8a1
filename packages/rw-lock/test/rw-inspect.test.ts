// Tests the report of inspect() about a read-write lock, and of arena.inspect() about its holders and waiters.

import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock } from '../src/index.ts';

const [agent, rival] = [1, 2];

function create(name?: string): { arena: Arena; ours: RwLock; theirs: RwLock } {
  const arena = Arena.create({ maxPages: 16 });
  const ours = RwLock.create({ arena, name });
  return { arena, ours, theirs: openAs(secondAgent(arena), ours.handle, (handle) => RwLock.from(handle)) };
}

test('inspect() of a new lock reports its name, no holders and no waiters', () => {
  const { ours, theirs } = create('table');
  const report = {
    kind: 'rw-lock',
    name: 'table',
    writer: 0,
    readers: [],
    consistency: 'consistent',
    waitingReaders: [],
    waitingWriters: [],
  };
  expect([ours.inspect(), theirs.inspect()]).toEqual([report, report]);
});

test('inspect() reports each reader with its count, and the writer', () => {
  const { ours, theirs } = create();
  ours.reader.lock();
  theirs.reader.lock();
  ours.reader.lock();
  const title = expect.stringMatching(/^agent \d+/) as string;
  expect([...ours.inspect().readers].sort((a, b) => a.agent - b.agent)).toEqual([
    { agent, title, times: 2 },
    { agent: rival, title, times: 1 },
  ]);
  expect(ours.inspect().writer).toBe(0);
  for (const { reader } of [ours, theirs, ours]) reader.unlock();
  theirs.writer.lock();
  expect(ours.inspect()).toMatchObject({ writer: rival, writerTitle: title, readers: [] });
  theirs.downgrade();
  expect(ours.inspect()).toMatchObject({ writer: 0, readers: [{ agent: rival, times: 1 }] });
  theirs.reader.unlock();
});

test('inspect() reports waiting readers and waiting writers, each in the order of service', async () => {
  const { ours, theirs } = create();
  const before = Date.now();
  ours.writer.lock();
  const waits = [
    theirs.writer.lockAsync(),
    theirs.reader.lockAsync(),
    ours.reader.lockAsync(),
    ours.writer.lockAsync(),
  ];
  const { waitingReaders, waitingWriters } = theirs.inspect();
  const [readers, writers] = [waitingReaders, waitingWriters].map((line) =>
    line.map(({ agent, kind }) => [agent, kind]),
  );
  expect([readers, writers]).toEqual([
    [
      [rival, 'async'],
      [agent, 'async'],
    ],
    [
      [rival, 'async'],
      [agent, 'async'],
    ],
  ]);
  for (const { since } of [...waitingReaders, ...waitingWriters])
    expect(since >= before && since <= Date.now()).toBe(true);
  ours.writer.unlock();
  await Promise.all([waits[1], waits[2]]);
  expect(ours.inspect()).toMatchObject({ waitingReaders: [], waitingWriters: [{}, {}] });
  theirs.reader.unlock();
  ours.reader.unlock();
  await waits[0];
  theirs.writer.unlock();
  await waits[3];
  ours.writer.unlock();
});

test('inspect() reports an admitted waiter that has not run yet as a holder', async () => {
  const { ours, theirs } = create();
  ours.reader.lock();
  const write = theirs.writer.lockAsync();
  const read = ours.reader.lockAsync();
  ours.reader.unlock();
  expect(ours.inspect()).toMatchObject({ writer: rival, readers: [], waitingWriters: [], waitingReaders: [{ agent }] });
  await write;
  theirs.writer.unlock();
  expect(ours.inspect()).toMatchObject({ writer: 0, readers: [{ agent, times: 1 }], waitingReaders: [] });
  await read;
  ours.reader.unlock();
});

test('inspect() reports an agent with several admitted waits once among the readers', async () => {
  const { ours, theirs } = create();
  ours.writer.lock();
  const waits = [theirs.reader.lockAsync(), theirs.reader.lockAsync()];
  ours.writer.unlock();
  expect(ours.inspect().readers).toMatchObject([{ agent: rival, times: 2 }]);
  await Promise.all(waits);
  expect(ours.inspect().readers).toMatchObject([{ agent: rival, times: 2 }]);
  for (let count = 0; count < 2; count++) theirs.reader.unlock();
});

test('arena.inspect() reports a lock with its name, its holders and its waiters, on both sides', async () => {
  const { arena, ours, theirs } = create('ledger');
  const { address } = ours.handle;
  const shown = { kind: 'lock', name: 'ledger', address };
  const of = (id: number): unknown => arena.inspect().agents.find((one) => one.agent === id);
  expect(arena.inspect().blocks.find((block) => block.address === address)).toEqual({
    ...shown,
    bytes: 256,
    closed: false,
  });
  ours.reader.lock();
  ours.reader.lock();
  const write = theirs.writer.lockAsync();
  expect(of(agent)).toMatchObject({ holds: [{ ...shown, permits: 2 }], waits: [] });
  expect(of(rival)).toMatchObject({ holds: [], waits: [{ ...shown, permits: 1, how: 'async' }] });
  const read = ours.reader.lockAsync();
  expect(of(agent)).toMatchObject({ holds: [{ ...shown, permits: 2 }], waits: [{ ...shown, permits: 1 }] });
  ours.reader.unlock();
  ours.reader.unlock();
  await write;
  expect(of(rival)).toMatchObject({
    holds: [{ ...shown, permits: 1, since: expect.any(Number) as number, age: expect.any(Number) as number }],
    waits: [],
  });
  theirs.writer.unlock();
  await read;
  ours.reader.unlock();
  expect(arena.inspect().agents.every(({ holds, waits }) => holds.length + waits.length === 0)).toBe(true);
  ours.free();
  expect(arena.inspect().blocks.find((block) => block.address === address)).toMatchObject({ kind: 'free', name: '' });
});

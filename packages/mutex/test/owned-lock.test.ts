import { expect, test } from 'vitest';
import { Bench } from '../../core/test/support/owned-lock/bench.ts';
import { ownedLockSuite } from '../../core/test/support/owned-lock/suite.ts';
import { KINDS, RECURSIVE } from './support/kinds.ts';

ownedLockSuite(KINDS, { reports: { depth: 0 } });

test.each(KINDS)(
  '$what: lock() without contention changes one word of the mutex, and unlock() restores every byte of the arena',
  (kind) => {
    const bench = new Bench();
    const { ours } = bench.create(kind);
    const bytes = (): Buffer => Buffer.from(new Uint8Array(bench.arena.handle.memory.buffer));
    const before = bytes();
    ours.lock();
    const held = bytes();
    const changed = [...held.keys()].filter((at) => held[at] !== before[at]);
    expect(new Set(changed.map((at) => Math.floor(at / 8))).size).toBe(1);
    expect(changed.every((at) => at >= ours.handle.address && at < ours.handle.address + 128)).toBe(true);
    ours.unlock();
    expect(bytes().equals(before)).toBe(true);
  },
);

test.each(KINDS)(
  '$what: inspect() reports depth 1 for an owner, and for a waiter that is being admitted',
  async (kind) => {
    const { ours, theirs } = new Bench().create(kind);
    ours.lock();
    expect(theirs.inspect()).toMatchObject({ owner: ours.arena.agentId, depth: 1 });
    const wait = theirs.lockAsync();
    ours.unlock();
    expect(ours.inspect()).toMatchObject({ owner: theirs.arena.agentId, depth: 1 });
    await wait;
    theirs.unlock();
  },
);

test('arena.inspect() reports a recursive mutex that is locked three times as one lock of its owner', () => {
  const bench = new Bench();
  const { ours } = bench.create(RECURSIVE);
  for (let depth = 0; depth < 3; depth++) ours.lock();
  expect(ours.inspect()).toMatchObject({ depth: 3 });
  expect(bench.arena.inspect().agents.find(({ agent }) => agent === bench.arena.agentId)?.holds).toMatchObject([
    { permits: 1 },
  ]);
  for (let depth = 0; depth < 3; depth++) ours.unlock();
});

// Tests an agent that would block behind its own async wait. That wait could not continue while the agent is blocked.

import { Arena, DeadlockError } from '@sluice/core';
import { expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock } from '../src/index.ts';

type Side = 'reader' | 'writer';

function create(): { arena: Arena; ours: RwLock; theirs: RwLock } {
  const arena = Arena.create({ maxPages: 4 });
  const ours = RwLock.create({ arena });
  return { arena, ours, theirs: openAs(secondAgent(arena), ours.handle, (handle) => RwLock.from(handle)) };
}

/**
 * The side that another agent holds, the side of this agent's async wait, and the side on which this agent would then
 * block forever.
 */
const STUCK: readonly (readonly [held: Side, awaited: Side, blocked: Side])[] = [
  ['writer', 'writer', 'writer'],
  ['reader', 'writer', 'writer'],
  ['writer', 'reader', 'writer'],
  ['reader', 'writer', 'reader'],
];

test.each(STUCK)(
  'behind a %s and its agent’s async wait as %s, a blocking call as %s throws a DeadlockError',
  async (held, awaited, blocked) => {
    const { arena, ours, theirs } = create();
    theirs[held].lock();
    const wait = ours[awaited].lockAsync();
    const twin = RwLock.from(ours.handle);
    const calls = [
      () => ours[blocked].lock(),
      () => ours[blocked].hold(),
      () => ours[blocked].run(() => 0),
      () => ours[blocked].tryLock(Infinity),
      () => twin[blocked].lock(),
    ];
    for (const call of calls) expect(call).toThrow(DeadlockError);
    const { waitingReaders, waitingWriters } = ours.inspect();
    expect([waitingReaders.length, waitingWriters.length]).toEqual(awaited === 'reader' ? [1, 0] : [0, 1]);
    theirs[held].unlock();
    await wait;
    ours[awaited].unlock();
    expectAtRest(arena, ours.handle);
  },
);

test('tryLock(ms) may wait behind an async wait of its agent on either side, since its timeout ends it', async () => {
  for (const [held, awaited, blocked] of STUCK) {
    const { arena, ours, theirs } = create();
    theirs[held].lock();
    const wait = ours[awaited].lockAsync();
    expect(ours[blocked].tryLock(2)).toBe(false);
    theirs[held].unlock();
    await wait;
    ours[awaited].unlock();
    expectAtRest(arena, ours.handle);
  }
});

test('lock() takes a free lock although the agent waits for another one, or has waited for this one', async () => {
  const { arena, ours, theirs } = create();
  const elsewhere = RwLock.create({ arena });
  const rival = openAs(secondAgent(arena), elsewhere.handle, (handle) => RwLock.from(handle));
  rival.writer.lock();
  const wait = elsewhere.writer.lockAsync();
  theirs.writer.lock();
  await expect(ours.writer.lockAsync({ timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
  await expect(ours.reader.lockAsync({ timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
  theirs.writer.unlock();
  for (const side of [ours.reader, ours.writer]) {
    side.lock();
    side.unlock();
  }
  rival.writer.unlock();
  await wait;
  elsewhere.writer.unlock();
  for (const lock of [ours, elsewhere]) expectAtRest(arena, lock.handle);
});

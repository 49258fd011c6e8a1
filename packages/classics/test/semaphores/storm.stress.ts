import { Arena, Region } from '@sluice/core';
import { Session, withWorkers } from '@sluice/harness';
import * as family from '@sluice/classics';
import { expect, test } from 'vitest';
import { CALLS, STOP, type FamilyData, type MemberName } from './jobs/family.mjs';
import { storm } from './support/family-storm.ts';

const FAIR: readonly MemberName[] = [
  'TicketSemaphore',
  'WaitingArraySemaphore',
  'ChainSemaphore',
  'MonitorSemaphore',
  'LocationSemaphore',
];

test.each([...FAIR, 'AddressSemaphore'] as const)(
  '%s: at most three permits are held, in whatever way they are acquired',
  async (member) => {
    await storm(member, 1, 150, false);
    await storm(member, 3, 150, false);
  },
);

const WAITERS = 16;

test.each(FAIR)('%s: sixteen waiters are served in FIFO order', async (member) => {
  const session = new Session(`${member}, order`);
  const arena = Arena.create({ maxPages: 64, policy: { buckets: 4 } });
  const words = Region.create(64, { arena }).int32;
  const sem = family[member].create(0, { arena });
  const places = await withWorkers(
    { jobs: new URL('./jobs/family.mjs', import.meta.url), seed: session.seed, dump: () => sem.inspect() },
    async (group) => {
      const data = (): FamilyData => ({ member, handle: sem.handle, words, most: 1 });
      group.start<number>(WAITERS, 'queueUp', data);
      await group.said('ready');
      Atomics.store(words, STOP, 1);
      Atomics.notify(words, STOP);
      for (let inLine = 1; inLine <= WAITERS; inLine++) {
        await group.until(`${inLine} waiters are queued`, () => sem.waiting === inLine);
        Atomics.store(words, CALLS, inLine);
      }
      sem.release();
      return group.results<number>();
    },
  );
  expect(places).toEqual(Array.from({ length: WAITERS }, (_, place) => place));
  expect([sem.available, sem.waiting]).toEqual([1, 0]);
  session.done(WAITERS, 'in order');
});

import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { MEMBERS } from './support/members.ts';

const arena = Arena.create({ maxPages: 64, policy: { buckets: 4 } });

test.each(MEMBERS)('waiters of a $name that is closed and freed at once throw ClosedError', async (member) => {
  const sem = member.create(0, { arena });
  const endings = Promise.allSettled([
    sem.acquireAsync(),
    sem.acquireAsync(1, { timeout: 60_000 }),
    sem.acquireAsync(),
  ]);
  sem.close();
  sem.free();
  for (const ending of await endings)
    expect(ending).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
  await expect(sem.acquireAsync()).rejects.toMatchObject({ code: 'SLUICE_MISUSE' });
});

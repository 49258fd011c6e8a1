// A thread with two copies of Sluice, the files of the packages and the one file: what is of the other copy is refused,
// handles open.

import { check, equal, failure, type MainTools, type Sluice } from '../tools.ts';

export async function main({ sluice, arena, load }: MainTools): Promise<void> {
  const other = (await load('sluice/sluice.js')) as Sluice;
  check(other.Arena !== sluice.Arena, 'there are two copies');
  const { message } = await failure(() => other.Semaphore.create(1, { arena }), 'SLUICE_MISUSE');
  check(message.includes('of another copy of Sluice') && message.includes('Arena.from(its.handle)'), message);
  const semaphore = sluice.Semaphore.create(1, { arena });
  await failure(() => other.createLimit(semaphore as never), 'SLUICE_MISUSE');
  const opened = other.Semaphore.from(semaphore.handle);
  const permit = await opened.holdAsync();
  equal([semaphore.available, opened.arena.agentId === arena.agentId], [0, false], 'a permit of the other copy');
  permit.release();
}

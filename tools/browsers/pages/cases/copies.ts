// A page with two copies of Sluice, the files of the packages and the one file: what is of the other copy is refused, handles open.

import { check, equal, failure, type PageTools, type Sluice } from '../tools.ts';

const OTHER = '../node_modules/@sluice/all/dist/sluice.js';

export async function page({ sluice, arena }: PageTools): Promise<void> {
  const other = (await import(OTHER)) as Sluice;
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

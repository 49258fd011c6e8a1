// A worker is killed in its sleep. The semaphore is freed before the recovery of the worker, so another primitive uses
// its memory by then.

import { Arena, Region } from '@sluice/core';
import { startWorker } from '@sluice/harness';
import { AddressSemaphore, LightweightSemaphore, MultilaneSemaphore, TicketSemaphore } from '@sluice/classics';
import { expect, test } from 'vitest';
import type { FreedData } from './jobs/freed.mjs';

const JOBS = new URL('jobs/freed.mjs', import.meta.url);

const KINDS = [
  ['TicketSemaphore', '', (arena: Arena) => TicketSemaphore.create(0, { arena })],
  ['AddressSemaphore', '', (arena: Arena) => AddressSemaphore.create(0, { arena })],
  ...(['ticket', 'address'] as const).flatMap((inner) => [
    ['LightweightSemaphore', inner, (arena: Arena) => LightweightSemaphore.create(0, { arena, inner })] as const,
    ['MultilaneSemaphore', inner, (arena: Arena) => MultilaneSemaphore.create(0, { arena, inner, lanes: 2 })] as const,
  ]),
] as const;

test.each(KINDS)(
  '%s %s: the recovery of an agent whose semaphore was freed does not touch the block’s new contents',
  async (member, _, create) => {
    const arena = Arena.create({ maxPages: 64 });
    const sem = create(arena);
    const data: FreedData = { member, handle: sem.handle };
    const worker = startWorker({ module: JOBS.href, job: 'wait', data, seed: 1, index: 0 });
    const isAsleep = (): boolean => arena.inspect().elements.total > 0 && sem.waiting > 0 && sleepers(arena) > 0;
    while (!isAsleep()) await new Promise((resolve) => setTimeout(resolve, 5));
    await worker.terminate();
    sem.close();
    sem.free();
    const regions = [64, 128, 192, 256, 320, 384, 448].map((bytes) => Region.create(bytes, { arena }));
    expect(arena.reclaimDead()).toHaveLength(1);
    expect(regions.flatMap(({ int32 }) => [...int32]).filter((word) => word !== 0)).toEqual([]);
  },
);

/** Agents for which a waiting call is recorded. */
function sleepers(arena: Arena): number {
  return arena.inspect().agents.filter(({ waits }) => waits.length > 0).length;
}

import { PrioritySemaphore } from '@sluice/semaphores';
import { test } from 'vitest';
import { storm } from './support/composite-storm.ts';

test.each([false, true])('a storm at a priority semaphore, kills: %s', async (kills) => {
  await storm(
    'priority',
    'levels',
    (permits, arena) => PrioritySemaphore.create(permits, { arena, ageing: 2, max: permits }),
    kills,
  );
});

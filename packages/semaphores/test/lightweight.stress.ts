import { LightweightSemaphore, type SchemeName } from '@sluice/semaphores';
import { test } from 'vitest';
import { storm } from './support/composite-storm.ts';

test.each<[SchemeName, boolean]>([
  ['semaphore', true],
  ['chain', true],
  ['address', false],
])('a storm at a lightweight semaphore over %s, kills: %s', async (inner, kills) => {
  await storm(
    `lightweight over ${inner}`,
    'light',
    (permits, arena) => LightweightSemaphore.create(permits, { arena, inner }),
    kills,
  );
});

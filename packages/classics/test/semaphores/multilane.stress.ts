import type { Arena } from '@sluice/core';
import { MultilaneSemaphore, type SchemeName } from '@sluice/classics';
import { test } from 'vitest';
import { storm } from './support/composite-storm.ts';

test.each<[SchemeName, 'ordered' | 'random', boolean]>([
  ['semaphore', 'ordered', true],
  ['monitor', 'random', true],
  ['ticket', 'ordered', false],
])('a storm at a multilane semaphore over %s, %s, kills: %s', async (inner, order, kills) => {
  const create = (permits: number, arena: Arena): MultilaneSemaphore =>
    MultilaneSemaphore.create(permits, { arena, inner, order, lanes: 2, max: permits });
  await storm(`multilane over ${inner}, ${order}`, 'lanes', create, kills);
});

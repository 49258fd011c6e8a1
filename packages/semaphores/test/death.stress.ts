import { test } from 'vitest';
import type { MemberName } from './jobs/family.mjs';
import { storm } from './support/family-storm.ts';

const MEMBERS: readonly MemberName[] = [
  'TicketSemaphore',
  'WaitingArraySemaphore',
  'ChainSemaphore',
  'MonitorSemaphore',
  'LocationSemaphore',
  'AddressSemaphore',
];

test.each(MEMBERS)('%s: workers that are killed leave every permit, and nobody waits for ever', async (member) => {
  await storm(member, 3, 400, true);
});

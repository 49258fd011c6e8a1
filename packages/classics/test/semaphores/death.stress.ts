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

test.each(MEMBERS)('%s: no permit is lost and no waiter waits forever when workers are killed', async (member) => {
  await storm(member, 3, 400, true);
});

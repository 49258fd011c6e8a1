// The members of the papers' family, each with one permit as a lock.

import { contend, lockJobs, type LockKind, type LockKinds } from '../contend.ts';
import type { MainTools } from '../tools.ts';

const NAMES = [
  'TicketSemaphore',
  'WaitingArraySemaphore',
  'ChainSemaphore',
  'MonitorSemaphore',
  'LocationSemaphore',
  'AddressSemaphore',
  'LightweightSemaphore',
  'MultilaneSemaphore',
  'PrioritySemaphore',
  'ResizableSemaphore',
] as const;

const kindOf = (name: (typeof NAMES)[number]): LockKind => ({
  make: (sluice, arena) =>
    ((member) => ({ lock: member.asLock(), handle: member.handle }))(sluice[name].create(1, { arena })),
  open: (sluice, handle) => ({ lock: sluice[name].from(handle).asLock() }),
});

const KINDS: LockKinds = Object.fromEntries(NAMES.map((name) => [name, kindOf(name)]));

export const jobs = lockJobs(KINDS);

export const main = (tools: MainTools): Promise<void> => contend(tools, KINDS);

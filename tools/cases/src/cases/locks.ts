import { contend, lockJobs, type LockKind, type LockKinds } from '../contend.ts';
import type { MainTools } from '../tools.ts';

const NAMES = ['TtsLock', 'TicketLock', 'McsLock', 'LifoLock', 'ReciprocatingLock'] as const;

const kindOf = (name: (typeof NAMES)[number]): LockKind => ({
  make: (sluice, arena) => ((lock) => ({ lock, handle: lock.handle }))(sluice[name].create({ arena })),
  open: (sluice, handle) => ({ lock: sluice[name].from(handle) }),
});

const KINDS: LockKinds = Object.fromEntries(NAMES.map((name) => [name, kindOf(name)]));

export const jobs = lockJobs(KINDS);

export const main = (tools: MainTools): Promise<void> => contend(tools, KINDS);

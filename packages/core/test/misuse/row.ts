// A row of the misuse table: a wrong call, the error it must give, and the state in which it is made.

import type { SluiceErrorCode } from '../../src/api/errors.ts';
import { Arena, Region, Semaphore } from '../../src/index.ts';

/** `open`: 2 of 3 permits free, max 5. `busy`: none free, one async waiter. */
export type State = 'open' | 'busy' | 'closed' | 'freed';

export interface Bench {
  readonly arena: Arena;
  readonly sem: Semaphore;
  readonly region: Region;
}

export interface Row {
  /** The source text of the call. */
  readonly call: string;
  readonly state?: State;
  readonly make: (bench: Bench) => unknown;
  /** The error's name. */
  readonly error: string;
  readonly code?: SluiceErrorCode;
  /** A part of the message, with the received value. */
  readonly says: string;
}

export const BENCH_NAME = 'bench';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 16 } });
const region = Region.create(64, { arena });
// The heap ends behind the first page, so that a memory of one page is truncated.
Region.create(65_536, { arena });
await keepElements(3);

/** From now on this agent keeps some elements, so that every row begins and ends with the same number. */
async function keepElements(count: number): Promise<void> {
  const sem = Semaphore.create(0, { arena });
  const waits = Array.from({ length: count }, () => sem.acquireAsync());
  sem.release(count);
  await Promise.all(waits);
  sem.free();
}

export async function setUp(state: State): Promise<Bench & { readonly takeDown: () => Promise<void> }> {
  const sem = Semaphore.create(3, { max: 5, arena, name: BENCH_NAME });
  sem.acquire();
  const waits: Promise<unknown>[] = [];
  if (state === 'busy') {
    sem.acquire(2);
    waits.push(sem.acquireAsync(2).catch(() => undefined));
  }
  if (state === 'closed' || state === 'freed') sem.close();
  if (state === 'freed') sem.free();
  await Promise.resolve();
  const takeDown = async (): Promise<void> => {
    if (state === 'freed') return;
    sem.close();
    await Promise.all(waits);
    sem.free();
  };
  return { arena, sem, region, takeDown };
}

/** Returns a value as any type, to pass a wrong type that TypeScript would refuse. */
export function wrong(value: unknown): never {
  return value as never;
}

/** Returns all visible state, for a comparison before and after a call. */
export function look({ arena, sem }: Bench, state: State): unknown {
  const { agents, ...rest } = arena.inspect();
  const counted = agents.map(({ agent }) => agent);
  if (state === 'freed') return { counted, ...rest };
  return { counted, ...rest, available: sem.available, waiting: sem.waiting, report: sem.inspect() };
}

/** Returns the error that a call throws or that its promise rejects with. */
export async function errorOf(make: () => unknown): Promise<unknown> {
  try {
    await make();
  } catch (failure) {
    return failure;
  }
  throw new Error('The call did not fail.');
}

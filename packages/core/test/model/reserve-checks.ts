// Checks of the reserve: the arena keeps a part of its bytes for primitives and blocking waits
// (../../src/agent/element-pool.ts).

import type * as Entry from './reserve-entry.ts';
import { withoutAges } from '../support/without-ages.ts';

type Core = typeof Entry;

export interface Check {
  readonly name: string;
  /** Returns a description of the failure, or `undefined`. */
  readonly run: (core: Core) => Promise<string | undefined>;
}

/** Creates an arena in which async waits use all the memory that they may use. */
async function filled({ Arena, Semaphore }: Core) {
  const arena = Arena.create({ initialPages: 1, maxPages: 2, policy: { buckets: 16 } });
  const sem = Semaphore.create(0, { arena });
  const refused: unknown[] = [];
  for (let waits = 0; refused.length === 0 && waits < 4000; waits++) {
    sem.acquireAsync().catch((failure: unknown) => refused.push(failure));
    if (waits % 16 === 0) await Promise.resolve();
  }
  await settled();
  return { arena, sem, why: String(refused[0]) };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

/** Returns the error of a further async wait, or `undefined` if it waits. */
async function tryToWait(sem: { acquireAsync(): Promise<void> }): Promise<unknown> {
  let failure: unknown;
  sem.acquireAsync().catch((reason: unknown) => (failure = reason));
  await settled();
  return failure;
}

function failureOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (failure) {
    return String(failure);
  }
}

export const CHECKS: readonly Check[] = [
  {
    name: 'async waits throw while there is room for a primitive',
    run: async (core) => {
      const { arena, why } = await filled(core);
      if (!why.includes('no room for another async wait')) return `the last async wait ended with ${why}`;
      const failure = failureOf(() => core.Semaphore.create(0, { arena }));
      return failure === undefined ? undefined : `a new primitive: ${failure}`;
    },
  },
  {
    name: 'a blocking wait gets an element of the reserve',
    run: async (core) => {
      const { sem } = await filled(core);
      const failure = failureOf(() => sem.tryAcquire(1, 0.001));
      return failure === undefined ? undefined : `a blocking wait: ${failure}`;
    },
  },
  {
    name: 'an async wait does not get an element that a blocking wait returned to the reserve',
    run: async (core) => {
      const { sem } = await filled(core);
      sem.tryAcquire(1, 0.001);
      return (await tryToWait(sem)) === undefined ? 'an async wait got an element of the reserve' : undefined;
    },
  },
  {
    name: 'an async wait does not get the spare element of an agent that blocked',
    run: async (core) => {
      const { arena, sem } = await filled(core);
      core.contextOf(arena).refill();
      const { free } = arena.inspect().elements;
      if ((await tryToWait(sem)) === undefined) return 'an async wait got an element of the reserve';
      return arena.inspect().elements.free === free + 1 ? undefined : 'the spare element was not returned';
    },
  },
  {
    name: 'an agent does not keep an element of the reserve',
    run: async (core) => {
      const { arena } = await filled(core);
      const context = core.contextOf(arena);
      const element = context.takeElement(0);
      const { free } = arena.inspect().elements;
      context.keep(element);
      return arena.inspect().elements.free === free + 1 ? undefined : 'the element was not returned';
    },
  },
  {
    name: 'an async wait that throws leaves no trace',
    run: async (core) => {
      const { arena, sem } = await filled(core);
      const { kernel } = core.contextOf(arena);
      const seen = (): string =>
        JSON.stringify([withoutAges([sem.inspect(), arena.inspect()]), kernel.balance(sem.handle.address as never)]);
      const before = seen();
      for (let times = 0; times < 3; times++) if ((await tryToWait(sem)) === undefined) return 'it did not throw';
      const after = seen();
      return before === after ? undefined : `before ${before}, after ${after}`;
    },
  },
];

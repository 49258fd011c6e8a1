import { Arena } from '@sluice/core';
import { Session, soakSize, withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';

interface Seen {
  readonly rounds: number;
  readonly doubled: number;
  readonly wrong: number;
  readonly reused: number;
}

const AGENTS = 2;
const RUN_MS = soakSize(2000, 60_000);

test.each(['wasm', 'js'] as const)(
  'a semaphore in reused memory has the permits it was created with, while walkers still act on the freed one (%s)',
  async (engine) => {
    const session = new Session(`memory used again (${engine})`);
    // With one bucket every walk visits the tombstones of all semaphores.
    const arena = Arena.create({ maxPages: 64, policy: { buckets: 1 } });
    const module = new URL('./jobs/reuse.mjs', import.meta.url);
    const results = await withWorkers(
      { jobs: module, seed: session.seed, dump: () => arena.inspect() },
      async (group) => {
        group.start(AGENTS, 'abortFreeCreate', () => ({ arena: arena.handle, ms: RUN_MS, engine }));
        return group.results<Seen>();
      },
    );
    const sum = (count: (seen: Seen) => number): number => results.reduce((total, seen) => total + count(seen), 0);
    const rounds = sum((seen) => seen.rounds);
    session.done(
      rounds,
      `${sum(({ reused }) => reused)} at the same address, ${sum(({ doubled, wrong }) => doubled + wrong)} with wrong counters`,
    );
    expect([sum(({ doubled }) => doubled), sum(({ wrong }) => wrong)]).toEqual([0, 0]);
    // Without reuse the test shows nothing.
    expect(sum(({ reused }) => reused)).toBeGreaterThan(rounds / 4);
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  },
);

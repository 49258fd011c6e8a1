// Death at every moment: before each kernel step, each single write and each sleep or wake-up of an operation.

import { expect, test, vi } from 'vitest';
import { lineOperations } from './support/crash-lines.ts';
import { memoryOperations } from './support/crash-memory.ts';
import { handOperations, rareOperations } from './support/crash-rarities.ts';
import { releaseOperations } from './support/crash-releases.ts';
import { ALL_DEEDS, dieEverywhere, dieTwice, type Tally } from './support/crash-run.ts';
import { outlives, Stage, type Operation } from './support/crash-stage.ts';

vi.mock('../src/kernel/kernel.ts', async (original) => (await import('./support/crash.ts')).crashingKernels(await original()));
vi.mock('../src/kernel/words.ts', async (original) => (await import('./support/crash.ts')).crashingWords(await original()));
vi.mock('../src/parking.ts', async (original) => (await import('./support/crash.ts')).crashingParking(await original()));

const OPERATIONS = [...memoryOperations, ...lineOperations, ...releaseOperations, ...rareOperations, ...handOperations];
const ENGINES = ['wasm', 'js'] as const;
const tally: Tally = { deaths: 0, reclaimers: 0 };

type Rows = readonly (readonly [name: string, engine: (typeof ENGINES)[number], operation: Operation])[];

function rows(operations: readonly Operation[]): Rows {
  return operations.flatMap((operation) => ENGINES.map((engine) => [operation.name, engine, operation] as const));
}

/** Each with one of the engines: they do the same, step by step, as the differential test shows. */
function rowsOfOneEngine(operations: readonly Operation[]): Rows {
  return operations.map((operation, index) => [operation.name, index % 2 === 0 ? 'wasm' : 'js', operation] as const);
}

test.each(rows(OPERATIONS))('an agent that %s (%s) may die at any moment of it', async (_, engine, operation) => {
  await dieEverywhere(operation, engine, tally, 'told');
});

test.each(rowsOfOneEngine(OPERATIONS.filter(({ joins }) => joins !== true)))(
  'an agent that %s (%s) may die at any moment of it, and is found dead by whoever asks',
  async (_, engine, operation) => {
    await dieEverywhere(operation, engine, tally, 'asks');
  },
);

test.each(rowsOfOneEngine(OPERATIONS.filter(({ large }) => large !== true)))(
  'whoever recovers an agent that %s (%s) may die before any step of it',
  { timeout: 30_000 },
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ['step', 'parking']);
  },
);

test.each(rows(handOperations))(
  'whoever recovers an agent that %s (%s) may die also before any single write',
  async (_, engine, operation) => {
    await dieTwice(operation, engine, tally, ALL_DEEDS);
  },
);

test.each(ENGINES)('deaths in one arena, one after the other, take no more memory than the first few (%s)', async (engine) => {
  const stage = new Stage({ joins: true }, engine);
  const { ours } = { ours: stage.shadowUser(2) };
  const used: number[] = [];
  for (let round = 0; round < 4; round++) {
    for (let deed = 0, lived = false; !lived; deed++) {
      const victim = stage.world.join();
      const act = async (): Promise<void> => {
        const sem = stage.openAs(ours, victim);
        sem.acquire(2);
        const waits = Array.from({ length: 9 }, () => sem.acquireAsync(1, { ref: false }).catch(() => undefined));
        sem.release(2);
        await stage.settle();
        sem.release(2);
        await Promise.race(waits);
      };
      lived = await outlives(victim.life, act, ALL_DEEDS, deed);
      victim.life.die();
      expect(stage.living.arena.reclaimDead().map(({ agent }) => agent)).toEqual([victim.context.id]);
      await stage.settle();
      expect(ours.sem.available).toBe(2);
      tally.deaths += 1;
    }
    used.push(stage.living.arena.inspect().used);
  }
  expect(used).toEqual(used.map(() => used[0]));
  expect(stage.living.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

test('every operation is another, and figures of all of them are shown', () => {
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
  const { deaths, reclaimers } = tally;
  console.log(`${OPERATIONS.length} operations, ${deaths} deaths, in ${reclaimers} of them whoever recovered died as well`);
  expect(tally.deaths).toBeGreaterThan(3000);
});

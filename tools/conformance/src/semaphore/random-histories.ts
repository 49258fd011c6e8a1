import { expect, test } from 'vitest';
import { Random } from '../../../harness/src/random.mjs';
import { soakSize } from '../../../harness/src/session.ts';
import { ending, whenAnswered, type Ending } from '../observe.ts';
import type { Answer, Counts, CreateStepped } from '../types.ts';
import { IdealSemaphore } from './ideal.ts';
import type { Traits } from './traits.ts';

/** The number of steps of one history, and the number of histories. */
export const STEPS = 60;
export const HISTORIES = soakSize(20, 600);
export const MAX_PERMITS = 5;
/** The limit of permits in circulation: it is below the maximum of the suite's bounded semaphores. */
export const MAX_FREE = 20;

interface Wait {
  readonly id: number;
  readonly controller: AbortController;
  readonly end: Promise<Ending>;
}

/** Makes random calls on the semaphore and on an `IdealSemaphore`. After each call both must have the same state. */
export function randomHistories(name: string, create: CreateStepped, traits: Traits): void {
  test(`${HISTORIES} histories of ${STEPS} random calls agree with a plain queue after every call`, async () => {
    await playAll(name, (random) => play(create, random, traits));
  });
}

/** Plays histories. Each has its own seed, which a failure shows. */
export async function playAll(name: string, play: (random: Random) => Promise<undefined>): Promise<void> {
  const seed = Number(process.env['SLUICE_SEED'] ?? (Math.random() * 2 ** 31) | 0);
  for (let history = 0; history < HISTORIES; history++) {
    const log = await play(new Random(seed + history)).catch((failure: unknown) => failure as Error);
    expect(log, `history ${history} of SLUICE_SEED=${seed}`).toBeUndefined();
  }
  console.log(`${name}, random histories: ${HISTORIES * STEPS} calls, seed ${seed}`);
}

async function play(create: CreateStepped, random: Random, { remote, size, triesSeveral }: Traits): Promise<undefined> {
  const permits = random.below(4);
  const sem = await create(permits);
  const ideal = new IdealSemaphore(permits);
  const waits: Wait[] = [];
  const calls = [`create ${permits}`];
  let nextId = 0;

  const perform = (): Answer<void> => {
    const count = random.between(1, MAX_PERMITS);
    const kind = random.below(10);
    if (kind < 4) {
      const controller = new AbortController();
      const id = nextId++;
      const wanted = size(count);
      calls.push(`acquireAsync ${wanted} as ${id}`);
      ideal.acquire(id, wanted);
      waits.push({ id, controller, end: ending(sem.acquireAsync(wanted, { signal: controller.signal })) });
    } else if (kind < 6 && waits.length > 0) {
      const { id, controller } = random.pick(waits);
      calls.push(`abort ${id}`);
      ideal.giveUp(id);
      controller.abort(id);
    } else if (kind < 7) {
      const wanted = triesSeveral ? count : 1;
      calls.push(`tryAcquire ${wanted}`);
      const isTaken = ideal.tryAcquire(wanted);
      return whenAnswered(sem.tryAcquire(wanted), (taken) => expect(taken, calls.join(', ')).toBe(isTaken));
    } else if (kind < 8 && sem.drain !== undefined && random.chance(30)) {
      calls.push('drain');
      return whenAnswered(sem.drain(), (drained) => expect(drained, calls.join(', ')).toBe(ideal.drain()));
    } else if (ideal.free + count <= MAX_FREE) {
      calls.push(`release ${count}`);
      ideal.release(count);
      return sem.release(count);
    }
    return undefined;
  };
  const compare = ([available, waiting]: Counts): void => {
    // Compare before calling `expect`: building a message for each call takes longer than the call itself.
    if (available !== ideal.available || waiting !== ideal.waiting) {
      expect([available, waiting], calls.join(', ')).toEqual([ideal.available, ideal.waiting]);
    }
  };

  for (let step = 0; step < STEPS; step++) {
    // In shared memory the step has ended when the call returns. An `await` here would let the granted waiters run
    // after every step.
    const performed = perform();
    if (performed instanceof Promise) await performed;
    const compared = whenAnswered(sem.counts(), compare);
    if (compared instanceof Promise) await compared;
    if (random.chance(20)) await Promise.resolve();
  }
  for (const { controller, id } of waits) {
    ideal.giveUp(id);
    controller.abort(id);
    // The permits that this waiter leaves may be granted to a waiter behind it. The server's answer shows that.
    if (remote) await sem.counts();
  }
  expect(await sem.counts(), calls.join(', ')).toEqual([ideal.available, 0]);
  for (const { id, end } of waits) {
    expect(await end, `wait ${id} of ${calls.join(', ')}`).toEqual(
      ideal.admitted.has(id) ? { value: undefined } : { reason: id },
    );
  }
  return undefined;
}

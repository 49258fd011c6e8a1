// What tasks do at a once.

import type { Random } from '@sluice/harness';
import type { RemoteGuard } from '../../src/guard.ts';
import type { Process } from './world.ts';

export interface OnceTally {
  /** Whether a call has learnt that the once is done. */
  isDone: boolean;
  readonly running: Set<{ readonly guard: RemoteGuard; readonly process: Process }>;
  wrong: string;
}

const FAILED = new Error('The initialiser failed');

/** Runs and waits until the once is done. */
export async function useOnce(process: Process, random: Random, tally: OnceTally, patienceMs: number): Promise<void> {
  const once = process.space.once('o');
  const initialise = async (guard: RemoteGuard): Promise<void> => {
    if (tally.isDone && guard.held) tally.wrong ||= 'an initialiser began although the once was done';
    const run = { guard, process };
    tally.running.add(run);
    await new Promise<void>((resolve) => process.after(random.below(300), resolve));
    tally.running.delete(run);
    if (random.chance(60)) throw FAILED;
  };
  for (let isDone = false; !isDone; ) {
    await new Promise<void>((resolve) => process.after(random.below(200), resolve));
    try {
      const kind = random.below(6);
      if (kind < 2) isDone = await once.tryWait(random.below(patienceMs));
      else if (kind < 4) isDone = await once.tryRun(initialise, random.below(patienceMs));
      else {
        await once.runAsync(initialise);
        isDone = true;
      }
      tally.isDone ||= isDone;
    } catch (failure) {
      if (failure !== FAILED && (failure as { code?: string }).code !== 'SLUICE_LEASE_LOST') throw failure;
    }
  }
}

/** What is wrong with the initialisers that run now, or ''. */
export function wrongRuns({ running, wrong }: OnceTally): string {
  const held = [...running].filter(({ guard, process }) => process.alive && !process.paused && guard.held);
  return wrong || (held.length > 1 ? `${held.length} initialisers run` : '');
}

// Tasks at a once or a lazy.

import type { Random } from '@sluice/harness';
import type { RemoteGuard } from '../../../remote/src/primitives/guard.ts';
import type { Process } from './world.ts';

export interface OnceTally {
  /** Whether a call has learned that the once is done. */
  isDone: boolean;
  readonly running: Set<{ readonly guard: RemoteGuard; readonly process: Process }>;
  wrong: string;
  /** The value that the first call got. */
  value?: number;
  /** The number of initialisers that have begun. Each computes a different value. */
  begun: number;
}

const FAILED = new Error('The initialiser failed');

/** The common calls of both. Each resolves with whether the once is done. */
interface Calls {
  tryWait(ms: number): Promise<boolean>;
  tryRun(ms: number): Promise<boolean>;
  runAsync(): Promise<boolean>;
}

function callsOf(
  process: Process,
  kind: 'once' | 'lazy',
  initialise: (guard: RemoteGuard) => Promise<number>,
  tally: OnceTally,
): Calls {
  if (kind === 'once') {
    const once = process.space.once('o');
    return {
      tryWait: (ms) => once.tryWait(ms),
      tryRun: (ms) => once.tryRun(initialise, ms),
      runAsync: () => once.runAsync(initialise).then(() => true),
    };
  }
  const lazy = process.space.lazy<number>('o');
  const got = (value: number | undefined): boolean => {
    if (value === undefined) return false;
    tally.value ??= value;
    if (value !== tally.value) tally.wrong ||= `one call got the value ${tally.value}, and another call got ${value}`;
    return true;
  };
  return {
    tryWait: (ms) => lazy.tryWait(ms).then(got),
    tryRun: (ms) => lazy.tryGet(initialise, ms).then(got),
    runAsync: () => lazy.getAsync(initialise).then(got),
  };
}

/** Runs and waits until the once is done. */
export async function useOnce(
  process: Process,
  kind: 'once' | 'lazy',
  random: Random,
  tally: OnceTally,
  patienceMs: number,
): Promise<void> {
  const initialise = async (guard: RemoteGuard): Promise<number> => {
    if (tally.isDone && guard.held) tally.wrong ||= 'an initialiser began although the once was done';
    const value = ++tally.begun;
    const run = { guard, process };
    tally.running.add(run);
    await new Promise<void>((resolve) => process.after(random.below(300), resolve));
    tally.running.delete(run);
    if (random.chance(60)) throw FAILED;
    return value;
  };
  const calls = callsOf(process, kind, initialise, tally);
  for (let isDone = false; !isDone; ) {
    await new Promise<void>((resolve) => process.after(random.below(200), resolve));
    try {
      const choice = random.below(6);
      if (choice < 2) isDone = await calls.tryWait(random.below(patienceMs));
      else if (choice < 4) isDone = await calls.tryRun(random.below(patienceMs));
      else isDone = await calls.runAsync();
      tally.isDone ||= isDone;
    } catch (failure) {
      if (failure !== FAILED && (failure as { code?: string }).code !== 'SLUICE_LEASE_LOST') throw failure;
    }
  }
}

/** Returns the fault of the initialisers that run now, or ''. */
export function wrongRuns({ running, wrong }: OnceTally): string {
  const held = [...running].filter(({ guard, process }) => process.alive && !process.paused && guard.held);
  return wrong || (held.length > 1 ? `${held.length} initialisers run` : '');
}

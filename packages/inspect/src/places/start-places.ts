// Switches the places of reports on and off in this thread.

import { HandleError } from '@sluice/core';
import { checkInteger, checkOptions, consoleText, dispose, INSPECT, refusePosting, show } from '@sluice/core/calls';
import { startTool, stopTool } from '../observe/observer.ts';
import { createPlaceTable, isTable, takePlaceTable } from '../tables/place-table.ts';
import { PlaceKeeper } from './place-keeper.ts';

/** What another thread needs to share the places of this one. It can be posted. */
export interface PlacesHandle {
  readonly kind: 'sluice.places';
  readonly memory: SharedArrayBuffer;
}

export interface PlacesOptions {
  /** The place of one of so many acquisitions is kept, and that of every wait. Default 1: of each. */
  readonly sample?: number;
  /**
   * The `handle` of another thread's places. Default: that of the thread that started this one, as far as the platform
   * has environment data of threads, as Node.js has.
   */
  readonly handle?: PlacesHandle | undefined;
}

const OPTIONS: readonly (keyof PlacesOptions)[] = ['sample', 'handle'];
const KIND = 'sluice.places';
const MAX_SAMPLE = 1_000_000;

/** The places that `startPlaces` keeps, until `stop` or the end of a `using` block. */
export class Places {
  /** Pass it to `startPlaces` in another thread, where the platform does not hand it on. */
  readonly handle: PlacesHandle;
  readonly #keeper: PlaceKeeper;

  /** @internal */
  constructor(memory: SharedArrayBuffer, keeper: PlaceKeeper) {
    refusePosting(this);
    this.#keeper = keeper;
    this.handle = Object.freeze({ kind: KIND, memory });
    startTool(keeper);
  }

  /** The place of one of so many acquisitions is kept. May be changed at any time. */
  get sample(): number {
    return this.#keeper.sample;
  }

  set sample(sample: number) {
    this.#keeper.sample = checkInteger('sample', sample, 1, MAX_SAMPLE);
  }

  /** Keeps no further places of this thread. Reports still show those that it has kept. A second call does nothing. */
  stop(): void {
    stopTool(this.#keeper);
  }

  [INSPECT](): string {
    return consoleText('Places', () => ({ sample: this.sample }));
  }

  [dispose](): void {
    this.stop();
  }
}

/**
 * Lets reports say where in the program each primitive was created, where its holders acquired it, and where its waiters
 * wait, until `stop`. All reports of the process show these places: `formatReport`, `onStuck`, the watchdog and the view.
 *
 * Call it in each thread, before the thread creates or opens its locks and semaphores: those that are older have places
 * for their waits only. Reading a stack takes some µs, so an uncontended call takes many times as long. With `sample`,
 * only one of so many acquisitions has a place. If an agent has acquired a semaphore several times, its last place is
 * shown. The table has room for 2,000 different places, and for 16,000 pairs of an agent and what it has held or waited
 * for. The pairs of agents that have ended count, too. A place without room is not shown.
 *
 * ```ts run
 * import { Arena, Semaphore } from '@sluice/core';
 * import { formatReport, startPlaces } from '@sluice/inspect';
 *
 * const places = startPlaces();
 * const arena = Arena.create();
 * Semaphore.create(1, { arena, name: 'jobs' }).acquire();
 * console.log(/acquired at .*:\d+/.test(formatReport(arena))); // true
 * places.stop();
 * ```
 *
 * @throws {HandleError} If `handle` is not that of places of this version.
 * @throws {RangeError} If `sample` is not 1 to 1,000,000.
 * @throws {TypeError} If an option has the wrong type or is unknown.
 */
export function startPlaces(options: PlacesOptions = {}): Places {
  checkOptions(options, OPTIONS);
  const { sample = 1, handle } = options;
  checkInteger('sample', sample, 1, MAX_SAMPLE);
  const table = handle === undefined ? createPlaceTable() : takePlaceTable(memoryOf(handle));
  return new Places(table.memory, new PlaceKeeper(table, sample));
}

function memoryOf(handle: unknown): SharedArrayBuffer {
  const { kind, memory } = (typeof handle === 'object' && handle !== null ? handle : {}) as Partial<PlacesHandle>;
  if (kind === KIND && isTable(memory)) return memory;
  throw new HandleError(
    `Expected the handle of places of this version: received ${show(handle)}. Nothing was switched on.`,
  );
}

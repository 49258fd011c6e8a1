// Checks of the waits of one agent at a multilane semaphore, which share one place in its lanes
// (../../../src/semaphores/shared-place.ts).

import { SHUT, TAKEN } from '../../../../core/src/kernel/states.ts';
import type { Lanes } from '../../../src/semaphores/shared-place.ts';
import type * as Entry from './shared-place-entry.ts';

type Core = typeof Entry;

export interface Check {
  readonly name: string;
  /** Returns the faults. */
  readonly run: (core: Core) => Promise<string | undefined>;
}

const WHAT = { timedOut: () => new Error('timed out') } as never;

async function settled(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** Lanes that the test controls, with each place that was taken. */
class ControlledLanes implements Lanes {
  readonly places: {
    readonly signal: AbortSignal | undefined;
    readonly end: (outcome: number) => void;
    readonly fail: (failure: unknown) => void;
    readonly taken: () => void;
  }[] = [];
  free = 0;
  /** The permit for the last place is there, and its agent has not checked yet. */
  isDue = false;

  takeFree(): boolean {
    if (this.free === 0) return false;
    this.free -= 1;
    return true;
  }

  enter({ signal }: { readonly signal?: AbortSignal | undefined }, taken: () => void): Promise<never> {
    return new Promise((resolve, reject) => {
      this.places.push({ signal, taken, end: (outcome) => resolve(outcome as never), fail: reject });
    });
  }

  settle(): void {
    if (this.isDue) this.places.at(-1)?.taken();
    this.isDue = false;
  }

  release(): void {
    this.free += 1;
  }
}

/** The outcomes of the waits: 'has', the message of an error, or nothing yet. */
function book(waits: readonly Promise<unknown>[]): string[] {
  const ends = waits.map(() => '');
  for (const [index, wait] of waits.entries())
    wait.then(
      (outcome) => (ends[index] = outcome === SHUT ? 'shut' : 'has'),
      (failure: unknown) => (ends[index] = failure instanceof Error ? failure.message : 'left'),
    );
  return ends;
}

function compare(seen: unknown, expected: unknown): string | undefined {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(expected)];
  return one === other ? undefined : `${one}, expected ${other}`;
}

export const CHECKS: readonly Check[] = [
  {
    name: 'a hundred waits share one element, and get permits in call order',
    run: async ({ Arena, MultilaneSemaphore }) => {
      const arena = Arena.create();
      const sem = MultilaneSemaphore.create(0, { arena });
      const order: number[] = [];
      for (let wait = 0; wait < 100; wait++) void sem.acquireAsync().then(() => order.push(wait));
      const { waiting } = arena.inspect().elements;
      if (waiting !== 1) return `${waiting} elements wait`;
      for (let released = 0; released < 100; released += 4) {
        sem.release();
        sem.release(3);
        await settled();
      }
      return compare(
        order,
        Array.from({ length: 100 }, (_, at) => at),
      );
    },
  },
  {
    name: 'a wait gets a permit that came before its cancellation in the same turn',
    run: async ({ SharedPlace }) => {
      const lanes = new ControlledLanes();
      const shared = new SharedPlace(lanes);
      const controller = new AbortController();
      const ends = book([shared.wait({ signal: controller.signal }, WHAT), shared.wait({}, WHAT)]);
      lanes.isDue = true;
      controller.abort('left');
      await settled();
      return compare(ends, ['has', '']);
    },
  },
  {
    name: 'the last cancelled wait leaves the lanes',
    run: async ({ Arena, MultilaneSemaphore }) => {
      const arena = Arena.create();
      const sem = MultilaneSemaphore.create(0, { arena });
      const controller = new AbortController();
      const ends = book([1, 2].map(() => sem.acquireAsync(1, { signal: controller.signal })));
      controller.abort('left');
      const seen = [arena.inspect().elements.waiting, sem.waiting];
      await settled();
      return compare([...seen, ...ends], [0, 0, 'left', 'left']);
    },
  },
  {
    name: 'a cancelled wait leaves the place to the other waits',
    run: async ({ SharedPlace }) => {
      const lanes = new ControlledLanes();
      const shared = new SharedPlace(lanes);
      const controller = new AbortController();
      const ends = book([shared.wait({ signal: controller.signal }, WHAT), shared.wait({}, WHAT)]);
      controller.abort('left');
      const isAborted = lanes.places[0]?.signal?.aborted;
      lanes.places[0]?.taken();
      lanes.places[0]?.end(TAKEN);
      await settled();
      return compare([ends, isAborted, lanes.places.length, lanes.free], [['left', 'has'], false, 1, 0]);
    },
  },
  {
    name: 'a permit that comes after all waits were cancelled is released',
    run: async ({ SharedPlace }) => {
      const lanes = new ControlledLanes();
      const shared = new SharedPlace(lanes);
      const controller = new AbortController();
      const ends = book([shared.wait({ signal: controller.signal }, WHAT)]);
      controller.abort('left');
      lanes.places[0]?.taken();
      lanes.places[0]?.end(TAKEN);
      await settled();
      return compare([ends, lanes.places[0]?.signal?.aborted, lanes.free, shared.more], [['left'], true, 1, 0]);
    },
  },
  {
    name: 'a permit that comes as the last wait leaves the lanes goes to that wait',
    run: async ({ SharedPlace }) => {
      const lanes = new ControlledLanes();
      const shared = new SharedPlace(lanes);
      const controller = new AbortController();
      const ends = book([shared.wait({ signal: controller.signal }, WHAT)]);
      lanes.places[0]?.signal?.addEventListener('abort', () => lanes.places[0]?.taken());
      controller.abort('left');
      await settled();
      return compare([ends, lanes.free], [['has'], 0]);
    },
  },
  {
    name: 'a permit that comes between the check and the leave goes to that wait',
    run: async ({ SharedPlace }) => {
      const lanes = new ControlledLanes();
      const shared = new SharedPlace(lanes);
      const controller = new AbortController();
      const ends = book([shared.wait({ signal: controller.signal }, WHAT)]);
      // The place finds the permit, and would settle when its agent is woken.
      lanes.places[0]?.signal?.addEventListener('abort', () => (lanes.isDue = true));
      controller.abort('left');
      await settled();
      return compare([ends, lanes.isDue, lanes.free], [['has'], false, 0]);
    },
  },
  {
    name: 'close() ends all waits',
    run: async ({ SharedPlace }) => {
      const lanes = new ControlledLanes();
      const shared = new SharedPlace(lanes);
      const ends = book([1, 2, 3].map(() => shared.wait({}, WHAT)));
      lanes.places[0]?.end(SHUT);
      await settled();
      return compare([ends, shared.more], [['shut', 'shut', 'shut'], 0]);
    },
  },
  {
    name: 'a failure ends the oldest wait, and the next wait takes a place',
    run: async ({ SharedPlace }) => {
      const lanes = new ControlledLanes();
      const shared = new SharedPlace(lanes);
      const ends = book([1, 2].map(() => shared.wait({}, WHAT)));
      lanes.places[0]?.fail(new Error('full'));
      await settled();
      return compare([ends, lanes.places.length, shared.more], [['full', ''], 2, 0]);
    },
  },
];

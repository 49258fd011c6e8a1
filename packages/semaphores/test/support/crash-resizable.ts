// Operations of the victim at a resizable semaphore.

import { large, leaveInTheMiddle, meanwhile } from '../../../core/test/support/crash-offices.ts';
import { refused, together, type Operation, type Stage } from '../../../core/test/support/crash-stage.ts';
import { signalByHand } from '../../../core/test/support/signal-by-hand.ts';
import { ResizableSemaphore } from '../../src/index.ts';
import { ResizableShadows } from './resizable-shadows.ts';

interface Scene {
  readonly stage: Stage;
  readonly shadows: ResizableShadows;
  /** The victim's own instance. */
  readonly theirs: ResizableSemaphore;
}

type Prepare = (scene: Scene) => () => unknown;

function sceneOf(stage: Stage, sizes: readonly number[]): Scene {
  const sem = ResizableSemaphore.create(sizes[0] ?? 0, { arena: stage.living.arena, name: 'slots' });
  const shadows = new ResizableShadows(stage.world.words, sem, sizes);
  stage.witnesses.push(shadows);
  return { stage, shadows, theirs: ResizableSemaphore.from(stage.world.handle(sem.handle, stage.victim)) };
}

/** `sizes`: the number of permits at the start, and the numbers after the victim's calls. */
function at(
  sizes: number | readonly number[],
  name: string,
  prepare: Prepare,
  more: Omit<Partial<Operation>, 'name' | 'prepare'> = {},
): Operation {
  const all = typeof sizes === 'number' ? [sizes] : sizes;
  return {
    name,
    cascades: true,
    ...more,
    world: { pages: 2, ...more.world },
    prepare: (stage) => prepare(sceneOf(stage, all)),
  };
}

/** The victim's waits may have collected permits when it dies. */
const COLLECTS = { collects: true } as const;
const NO_REF = { ref: false } as const;

function nothing(): void {
  // Whether the wait got permits or ended without them does not matter here.
}

/** Begins waits of the victim, runs `act`, and waits for their ends. */
async function amid(
  stage: Stage,
  waits: readonly Promise<unknown>[],
  ...acts: readonly (() => unknown)[]
): Promise<void> {
  const all = together(waits.map((wait) => wait.catch(nothing)));
  for (const act of acts) {
    await stage.settle();
    act();
  }
  await stage.settle();
  await Promise.race([all, stage.settle()]);
}

const passing: readonly Operation[] = [
  at(4, 'acquires permits of a resizable semaphore and releases them', ({ theirs }) => () => {
    theirs.acquire(3);
    theirs.tryAcquire(2);
    theirs.tryAcquire();
    theirs.release(3);
    theirs.release();
  }),
  at(1, 'acquires a permit of a resizable semaphore in async calls', ({ theirs }) => async () => {
    await theirs.acquireAsync();
    await theirs.acquireAsync(1, { timeout: 0 }).catch(nothing);
    theirs.release();
  }),
  at(
    3,
    'drains a resizable semaphore',
    ({ theirs }) =>
      () =>
        theirs.drain(),
  ),
  at(3, 'releases permits of a resizable semaphore that another agent acquired', ({ shadows, theirs }) => {
    shadows.take(2);
    theirs.acquire();
    return () => {
      theirs.release(2);
      shadows.held -= 1;
    };
  }),
  at([4, 3, 2], 'forgets permits of a resizable semaphore', ({ theirs }) => () => {
    const guard = theirs.acquireGuard(3);
    const part = guard.split(1);
    part.forget();
    guard.split(1).forget();
    guard.release();
  }),
];

const sizing: readonly Operation[] = [
  at([2, 4, 3], 'makes a resizable semaphore larger and smaller without waiters', ({ theirs }) => () => {
    theirs.resize(4);
    theirs.reducePermits(1);
  }),
  at([2, 3, 5], 'makes a resizable semaphore larger for waiters', ({ shadows, theirs }) => {
    shadows.take(2);
    shadows.wait(1, 2, 1);
    return () => {
      theirs.addPermits(1);
      theirs.resize(5);
    };
  }),
  at([3, 1], 'makes a resizable semaphore smaller than the number of held permits', ({ shadows, theirs }) => {
    shadows.take(2);
    theirs.acquire();
    shadows.wait(1, 1);
    return () => {
      theirs.resize(1);
      theirs.release();
    };
  }),
  at([4, 2], 'pays a debt with waiters in line', ({ shadows, theirs }) => {
    theirs.acquire(4);
    shadows.wait(2, 1);
    return () => {
      theirs.reducePermits(2);
      theirs.release(3);
      theirs.release();
    };
  }),
  at([2, 0, 2], 'removes all permits of a resizable semaphore and adds them again', ({ shadows, theirs }) => {
    shadows.watch();
    return () => {
      theirs.reducePermits(2);
      shadows.wait(1);
      theirs.addPermits(2);
    };
  }),
];

const releasing: readonly Operation[] = [
  ...[[1], [1, 1, 1], [2, 1], [3, 1, 2]].map((wishes) =>
    at(
      3,
      `releases one by one to a resizable semaphore with waiters for ${wishes.join(', ')}`,
      ({ shadows, theirs }) => {
        theirs.acquire(3);
        shadows.wait(...wishes);
        return () => {
          for (let given = 0; given < 3; given++) theirs.release();
        };
      },
    ),
  ),
  ...[[0], [0, 2], [1, 3], [0, 1, 2, 3]].map((gone) =>
    at(
      4,
      `releases to a resizable semaphore with all but ${gone.join(', ')} of four waiters`,
      ({ shadows, theirs }) => {
        theirs.acquire(4);
        shadows.wait(1, 2, 1, 3);
        for (const index of gone) shadows.leave(index);
        return () => theirs.release(4);
      },
    ),
  ),
  at(
    2,
    'releases to a resizable semaphore with one bucket',
    ({ shadows, theirs }) => {
      theirs.acquire(2);
      shadows.wait(1, 2);
      shadows.watch();
      return () => {
        theirs.release();
        theirs.release();
      };
    },
    { world: { buckets: 1 } },
  ),
  at(2, 'releases to a resizable semaphore with watchers', ({ shadows, theirs }) => {
    theirs.acquire(2);
    shadows.watch(2);
    shadows.wait(1);
    return () => {
      theirs.release();
      theirs.release();
    };
  }),
];

const waiting: readonly Operation[] = [
  at(1, 'blocks on a resizable semaphore', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(
      stage,
      () => shadows.wait(1),
      () => shadows.giveBack(),
    );
    return () => {
      theirs.acquire();
      theirs.release();
    };
  }),
  large(
    at(
      1,
      'spins before it blocks on a resizable semaphore',
      ({ stage, shadows, theirs }) => {
        shadows.take();
        meanwhile(stage, () => shadows.giveBack());
        return () => theirs.acquire();
      },
      { world: { policy: { spinMicros: 20, longTermThreshold: 2 } } },
    ),
  ),
  at(
    3,
    'blocks on a resizable semaphore for permits that are released one by one',
    ({ stage, shadows, theirs }) => {
      shadows.take(3);
      meanwhile(
        stage,
        () => shadows.wait(2),
        () => shadows.giveBack(),
        () => shadows.giveBack(),
        () => shadows.giveBack(),
      );
      return () => theirs.acquire(3);
    },
    COLLECTS,
  ),
  at(
    3,
    'blocks on a resizable semaphore with permits that were free',
    ({ stage, shadows, theirs }) => {
      shadows.take(2);
      meanwhile(
        stage,
        () => shadows.wait(1),
        () => shadows.giveBack(2),
      );
      return () => theirs.acquire(2);
    },
    COLLECTS,
  ),
  at(
    [2, 4],
    'blocks on a resizable semaphore until it is larger',
    ({ stage, shadows, theirs }) => {
      shadows.take(2);
      meanwhile(
        stage,
        () => shadows.wait(1),
        () => shadows.resizable.addPermits(2),
      );
      return () => theirs.acquire(2);
    },
    COLLECTS,
  ),
  at(
    4,
    'waits for a resizable semaphore in async calls between others',
    ({ stage, shadows, theirs }) => {
      shadows.take(4);
      return async () => {
        const first = theirs.acquireAsync(2, NO_REF);
        shadows.wait(1);
        await amid(stage, [first, theirs.acquireAsync(1, NO_REF)], () => shadows.giveBack(4));
      };
    },
    COLLECTS,
  ),
  at(1, 'may not block on a resizable semaphore behind its own async wait', ({ stage, shadows, theirs }) => {
    shadows.take();
    const wait = together([theirs.acquireAsync(1, NO_REF)]);
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.acquire());
      shadows.giveBack();
      await stage.settle();
      await Promise.race([wait, stage.settle()]);
    };
  }),
];

const leaving: readonly Operation[] = [
  at(1, 'times out at a resizable semaphore as the last in line', ({ shadows, theirs }) => {
    shadows.take();
    return () => [theirs.tryAcquire(1, 5), theirs.tryAcquire(2, 5)];
  }),
  at(1, 'times out at a resizable semaphore in the middle of a line', ({ stage, shadows, theirs }) => {
    shadows.take();
    shadows.wait(1);
    meanwhile(stage, () => shadows.wait(1, 1));
    return () => theirs.tryAcquire(1, 5);
  }),
  at(
    4,
    'times out at a resizable semaphore with permits collected',
    ({ stage, shadows, theirs }) => {
      shadows.take(3);
      meanwhile(
        stage,
        () => shadows.wait(2, 1),
        () => shadows.giveBack(1),
      );
      return () => theirs.tryAcquire(4, 5);
    },
    COLLECTS,
  ),
  large(
    at(2, 'times out at a resizable semaphore between cancelled waiters', ({ stage, shadows, theirs }) => {
      shadows.take(2);
      shadows.wait(1, 2, 1);
      meanwhile(stage, () => {
        shadows.wait(2);
        for (const index of [1, 2, 3]) shadows.leave(index);
      });
      return () => theirs.tryAcquire(2, 5);
    }),
  ),
  at(
    2,
    'gets permits of a resizable semaphore at the moment of its timeout',
    ({ stage, shadows, theirs }) => {
      shadows.take(2);
      meanwhile(stage, () => {
        shadows.giveBack(2);
        return 'timed-out';
      });
      return () => theirs.tryAcquire(2, 5);
    },
    COLLECTS,
  ),
  ...[[], [1], [3, 1]].map((behind) =>
    at(
      4,
      `aborts a wait for several permits of a resizable semaphore with ${behind.length} behind it`,
      ({ stage, shadows, theirs }) => {
        shadows.take(4);
        return async () => {
          const { signal, leave } = signalByHand();
          const wait = theirs.acquireAsync(3, { signal, ref: false });
          shadows.wait(...behind);
          await amid(stage, [wait], () => shadows.giveBack(2), leave);
        };
      },
      COLLECTS,
    ),
  ),
  ...[0, 2].map((behind) =>
    at(
      2,
      `cancels at a resizable semaphore within a release, with ${behind} behind it`,
      ({ stage, shadows, theirs }) => {
        shadows.take(2);
        return async () => {
          const { signal, leave } = signalByHand();
          const wait = theirs.acquireAsync(1, { signal, ref: false }).then(() => theirs.release());
          shadows.wait(...Array.from({ length: behind }, () => 1));
          leaveInTheMiddle(stage, leave, () => shadows.giveBack(2));
          stage.living.life.before.delete('walk');
          await amid(stage, [wait], () => shadows.held > 0 && shadows.giveBack(shadows.held));
        };
      },
      COLLECTS,
    ),
  ),
];

const cancelling: readonly Operation[] = [
  at(2, 'cancels all waits of a resizable semaphore', ({ shadows, theirs }) => {
    shadows.take(2);
    shadows.wait(1, 2, 1);
    shadows.watch();
    return () => theirs.cancelWaiters(7);
  }),
  at(
    3,
    'cancels all waits of a resizable semaphore, including its own, and continues',
    ({ stage, shadows, theirs }) => {
      shadows.take(2);
      theirs.acquire();
      shadows.wait(2);
      const own = theirs.acquireAsync(1, NO_REF).catch(nothing);
      return async () => {
        theirs.cancelWaiters();
        shadows.wait(1);
        theirs.release();
        await stage.settle();
        await Promise.race([own, stage.settle()]);
      };
    },
    COLLECTS,
  ),
  at(3, 'cancels all waits of a resizable semaphore, of which one is due', ({ shadows, theirs }) => {
    theirs.acquire(3);
    shadows.wait(1, 2, 2);
    return () => {
      theirs.release(2);
      theirs.cancelWaiters(1);
      theirs.release();
    };
  }),
  at(2, 'cancels all waits of a resizable semaphore twice', ({ shadows, theirs }) => {
    shadows.take(2);
    shadows.wait(1, 2);
    return () => {
      theirs.cancelWaiters(1);
      shadows.wait(1);
      theirs.cancelWaiters(2);
    };
  }),
  at(1, 'blocks on a resizable semaphore until all waits are cancelled', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(
      stage,
      () => shadows.wait(1),
      () => shadows.resizable.cancelWaiters(3),
    );
    return () => refused('SLUICE_CANCELLED', () => theirs.acquire());
  }),
  at(
    3,
    'waits for a resizable semaphore in async calls that are cancelled with permits collected',
    ({ stage, shadows, theirs }) => {
      shadows.take(3);
      return async () => {
        const waits = [theirs.acquireAsync(3, NO_REF), theirs.acquireAsync(1, NO_REF)];
        shadows.wait(1);
        await amid(
          stage,
          waits,
          () => shadows.giveBack(2),
          () => shadows.resizable.cancelWaiters(3),
          () => shadows.giveBack(1),
        );
      };
    },
    COLLECTS,
  ),
];

const watching: readonly Operation[] = [
  at(1, 'watches a resizable semaphore until a permit is free', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(
      stage,
      () => shadows.watch(),
      () => shadows.giveBack(),
    );
    return () => theirs.waitForUnlock();
  }),
  at(1, 'watches a resizable semaphore for a while', ({ stage, shadows, theirs }) => {
    shadows.take();
    shadows.watch();
    meanwhile(stage, () => shadows.wait(1));
    return () => theirs.waitForUnlock(1, 5);
  }),
  at(2, 'watches a resizable semaphore in async calls', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    return async () => {
      const waits = [theirs.waitForUnlockAsync(1, NO_REF), theirs.waitForUnlockAsync(2, NO_REF)];
      shadows.watch();
      await amid(
        stage,
        waits,
        () => shadows.giveBack(),
        () => shadows.giveBack(),
      );
    };
  }),
  at(1, 'stops watching a resizable semaphore', ({ stage, shadows, theirs }) => {
    shadows.take();
    return async () => {
      const { signal, leave } = signalByHand();
      const wait = theirs.waitForUnlockAsync(1, { signal, ref: false });
      shadows.watch();
      await amid(stage, [wait], leave, () => shadows.giveBack());
    };
  }),
];

const lifecycle: readonly Operation[] = [
  large(
    at(2, 'closes a resizable semaphore', ({ shadows, theirs }) => {
      shadows.take(2);
      shadows.wait(1, 2, 1);
      shadows.watch();
      shadows.leave(1);
      return () => theirs.close();
    }),
  ),
  {
    name: 'creates a resizable semaphore',
    world: { pages: 2 },
    prepare: (stage) => () => ResizableSemaphore.create(-2, { arena: stage.victim.arena, name: 'new' }),
  },
  {
    name: 'frees a resizable semaphore',
    world: { pages: 2 },
    prepare: (stage) => {
      const { handle } = ResizableSemaphore.create(2, { arena: stage.living.arena });
      const theirs = ResizableSemaphore.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

function suddenly(
  sizes: number | readonly number[],
  name: string,
  each: (scene: Scene) => void,
  more: Omit<Partial<Operation>, 'name' | 'prepare'> = {},
): Operation {
  return at(
    sizes,
    name,
    (scene) => {
      each(scene);
      return nothing;
    },
    more,
  );
}

/** Operations in which the victim dies without a deed while it holds something. */
export const resizableHoldings: readonly Operation[] = [
  suddenly(3, 'holds permits of a resizable semaphore with waiters', ({ shadows, theirs }) => {
    theirs.acquire(3);
    shadows.wait(1, 2, 1, 3);
    shadows.watch();
    shadows.leave(0);
    shadows.leave(2);
  }),
  suddenly([4, 1], 'holds permits of a resizable semaphore that has a debt', ({ shadows, theirs }) => {
    shadows.take();
    theirs.acquire(3);
    shadows.resizable.resize(1);
    shadows.wait(1, 1);
  }),
  suddenly([4, 3], 'has forgotten some of the permits that it holds', ({ shadows, theirs }) => {
    theirs.acquireGuard(3).split(1).forget();
    shadows.wait(2, 1);
  }),
  suddenly(
    4,
    'waits for a resizable semaphore between others, with permits collected',
    ({ shadows, theirs }) => {
      shadows.take(3);
      void together([theirs.acquireAsync(3, NO_REF), theirs.acquireAsync(1, NO_REF)]);
      shadows.wait(2);
    },
    COLLECTS,
  ),
  suddenly(3, 'was granted permits of a resizable semaphore and had not seen them', ({ shadows, theirs }) => {
    shadows.take(3);
    void together([theirs.acquireAsync(2, NO_REF), theirs.acquireAsync(1, NO_REF)]);
    shadows.wait(1, 2);
    shadows.giveBack(2);
  }),
  suddenly(
    3,
    'was cancelled, and permits reached its place',
    ({ shadows, theirs }) => {
      shadows.take(3);
      void together([theirs.acquireAsync(2, NO_REF), theirs.acquireAsync(1, NO_REF)]);
      shadows.resizable.cancelWaiters(4);
      shadows.wait(1, 2);
      shadows.giveBack(3);
    },
    COLLECTS,
  ),
  suddenly(2, 'watches a resizable semaphore', ({ shadows, theirs }) => {
    shadows.take(2);
    void together([theirs.waitForUnlockAsync(1, NO_REF), theirs.waitForUnlockAsync(2, NO_REF)]);
    shadows.watch();
  }),
  suddenly(2, 'was admitted by a free permit and had not seen it', ({ shadows, theirs }) => {
    shadows.take(2);
    void together([theirs.waitForUnlockAsync(1, NO_REF)]);
    shadows.giveBack();
  }),
];

export const resizableOperations: readonly Operation[] = [
  ...passing,
  ...sizing,
  ...releasing,
  ...waiting,
  ...leaving,
  ...cancelling,
  ...watching,
  ...lifecycle,
];

// Operations of the victim at a lightweight, a multilane or a priority semaphore, or one of tokens, during which it
// dies.

import { signalByHand } from '../../../../core/test/support/signal-by-hand.ts';
import { large, leaveInTheMiddle, meanwhile } from '../../../../core/test/support/crash-offices.ts';
import { refused, together, type Operation, type Stage } from '../../../../core/test/support/crash-stage.ts';
import {
  AddressSemaphore,
  LightweightSemaphore,
  MultilaneSemaphore,
  type FamilyHandle,
  type SchemeName,
} from '../../../src/index.ts';
import { PrioritySemaphore, type PriorityHandle } from '../../../../semaphores/src/index.ts';
import { SemaphoreShadows, type Composite } from './semaphore-shadows.ts';

interface Kind {
  readonly name: string;
  readonly inner: SchemeName;
  readonly create: (stage: Pick<Stage, 'living'>, permits: number, max: number | undefined) => Composite;
  readonly open: (stage: Stage, sem: Composite) => Composite;
  /** Whether a later waiter may get a permit before the victim. */
  readonly isOvertaken?: boolean;
}

/** Alone, because it has no tickets and no order of waiters. */
export const TOKENS: Kind = {
  name: 'address',
  inner: 'address',
  create: ({ living: { arena } }, permits, max) => AddressSemaphore.create(permits, { arena, max, name: 'tokens' }),
  open: ({ world, victim }, sem) => AddressSemaphore.from(world.handle(sem.handle as FamilyHandle, victim)),
};

interface Scene {
  readonly stage: Stage;
  readonly shadows: SemaphoreShadows;
  /** The victim's own instance. */
  readonly theirs: Composite;
}

interface More {
  readonly max?: number;
  readonly world?: Operation['world'];
}

type Prepare = (scene: Scene) => () => unknown;

const lightweight = (inner: SchemeName): Kind => ({
  name: `lightweight ${inner}`,
  inner,
  create: ({ living: { arena } }, permits, max) =>
    LightweightSemaphore.create(permits, { arena, inner, max, name: 'light' }),
  open: ({ world, victim }, sem) => LightweightSemaphore.from(world.handle(sem.handle as FamilyHandle, victim)),
});

const multilane = (inner: SchemeName, order: 'ordered' | 'random'): Kind => ({
  name: `${order} multilane ${inner}`,
  inner,
  create: ({ living: { arena } }, permits, max) =>
    MultilaneSemaphore.create(permits, { arena, inner, order, max, lanes: 2, name: 'lanes' }),
  open: ({ world, victim }, sem) => MultilaneSemaphore.from(world.handle(sem.handle as FamilyHandle, victim)),
});

/** The victim's waits have one priority, and those of the other agents another. */
const priority = (theirs: number, others: number): Kind => ({
  name: `priority ${theirs}`,
  inner: 'semaphore',
  isOvertaken: others > theirs,
  create: ({ living: { arena } }, permits, max) =>
    PrioritySemaphore.create(permits, { arena, max, name: 'levels', priority: others }),
  open: ({ world, victim }, sem) =>
    PrioritySemaphore.from(world.handle(sem.handle as PriorityHandle, victim), { priority: theirs }),
});

function sceneOf(stage: Stage, kind: Kind, permits: number, max?: number): Scene {
  const sem = kind.create(stage, permits, max);
  const shadows = new SemaphoreShadows(stage.world.words, sem, permits);
  stage.witnesses.push(shadows);
  return { stage, shadows, theirs: kind.open(stage, sem) };
}

/**
 * Permits that its own recovery granted to its waits count as released: the sum of a report is known, not its parts.
 */
function at(kind: Kind, permits: number, what: string, prepare: Prepare, { max, world = {} }: More = {}): Operation {
  return {
    name: what.replace('@', `a ${kind.name} semaphore`),
    world: { pages: 2, ...world },
    cascades: true,
    prepare: (stage) => prepare(sceneOf(stage, kind, permits, max)),
  };
}

function nothing(): void {
  // Ignores whether the wait got a permit or was cancelled.
}

const passing = (kind: Kind): readonly Operation[] => [
  at(kind, 2, 'takes permits of @ and releases them', ({ theirs }) => () => {
    theirs.acquire();
    theirs.tryAcquire();
    theirs.tryAcquire();
    theirs.release(2);
  }),
  at(kind, 1, 'takes a permit of @ in async calls', ({ theirs }) => async () => {
    await theirs.acquireAsync();
    await theirs.acquireAsync(1, { timeout: 0 }).catch(nothing);
    theirs.release();
  }),
  at(
    kind,
    3,
    'drains @',
    ({ theirs }) =>
      () =>
        theirs.drain(),
  ),
  at(
    kind,
    2,
    'releases too many permits to @ with a bound',
    ({ theirs }) =>
      () => {
        theirs.acquire();
        try {
          theirs.release(2);
        } catch (failure) {
          if (!(failure instanceof RangeError)) throw failure;
        }
        theirs.release();
      },
    { max: 2 },
  ),
];

const releasing = (kind: Kind): readonly Operation[] => [
  ...[1, 3].map((waits) =>
    at(kind, 2, `releases one permit after another to @ while ${waits} wait`, ({ shadows, theirs }) => {
      theirs.acquire();
      theirs.acquire();
      shadows.come(waits);
      return () => {
        theirs.release();
        theirs.release();
      };
    }),
  ),
  ...[2, 5].map((waits) =>
    at(kind, 3, `releases three permits at once to @ while ${waits} wait`, ({ shadows, theirs }) => {
      for (let count = 0; count < 3; count++) theirs.acquire();
      shadows.come(waits);
      return () => theirs.release(3);
    }),
  ),
  ...[[0], [0, 2], [1, 3], [0, 1, 2, 3]].map((gone) =>
    at(kind, 2, `releases to @ after ${gone.join(', ')} of four waiters have cancelled`, ({ shadows, theirs }) => {
      theirs.acquire();
      theirs.acquire();
      shadows.come(4);
      for (const index of gone) shadows.leave(index);
      return () => theirs.release(2);
    }),
  ),
  at(
    kind,
    2,
    'releases to @ with a bound and one bucket',
    ({ shadows, theirs }) => {
      theirs.acquire();
      theirs.acquire();
      shadows.come(3);
      shadows.leave(0);
      return () => {
        theirs.release();
        theirs.release();
      };
    },
    { max: 2, world: { buckets: 1 } },
  ),
  large(
    at(kind, 2, 'closes @', ({ shadows, theirs }) => {
      shadows.take(2);
      shadows.come(3);
      shadows.leave(1);
      return () => theirs.close();
    }),
  ),
];

const waiting = (kind: Kind): readonly Operation[] => [
  at(kind, 1, 'blocks on @', ({ stage, shadows, theirs }) => {
    shadows.take();
    const later = kind.isOvertaken === true ? [] : [() => shadows.come()];
    meanwhile(stage, ...later, () => shadows.giveBack());
    return () => {
      theirs.acquire();
      theirs.release();
    };
  }),
  large(
    at(
      kind,
      1,
      'spins before it blocks on @',
      ({ stage, shadows, theirs }) => {
        shadows.take();
        meanwhile(stage, () => shadows.giveBack());
        return () => theirs.acquire();
      },
      { world: { policy: { spinMicros: 20, longTermThreshold: 2 } } },
    ),
  ),
  at(kind, 2, 'blocks on @ in the middle of the queue', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    shadows.come(3);
    meanwhile(
      stage,
      () => shadows.come(2),
      () => shadows.leave(1),
      () => shadows.giveBack(2),
      () => shadows.leave(4),
    );
    return () => theirs.tryAcquire(1, 5);
  }),
  at(kind, 2, 'waits for @ in async calls between other waiters', ({ stage, shadows, theirs }) => {
    shadows.take(2);
    return async () => {
      const first = theirs.acquireAsync(1, { ref: false });
      shadows.come();
      const both = [first, theirs.acquireAsync(1, { ref: false })];
      const done = together(both.map((wait) => wait.then(() => theirs.release())));
      shadows.giveBack(2);
      await stage.settle();
      if (shadows.held > 0) shadows.giveBack(shadows.held);
      await stage.settle();
      await Promise.race([done, stage.settle()]);
    };
  }),
];

const behindItself = (kind: Kind): readonly Operation[] => [
  at(kind, 1, 'gets a DeadlockError for blocking on @ behind its own async wait', ({ stage, shadows, theirs }) => {
    shadows.take();
    const wait = together([theirs.acquireAsync(1, { ref: false })]);
    stage.life.before.set('cancelWait', () => shadows.come());
    return async () => {
      await refused('SLUICE_DEADLOCK', () => theirs.acquire());
      shadows.giveBack();
      await stage.settle();
      await Promise.race([wait, stage.settle()]);
    };
  }),
];

const leaving = (kind: Kind): readonly Operation[] => [
  ...(kind === TOKENS ? [] : behindItself(kind)),
  at(kind, 1, 'cancels at @ as the last waiter', ({ shadows, theirs }) => {
    shadows.take();
    return () => [theirs.tryAcquire(1, 5), theirs.tryAcquire(1, 5)];
  }),
  at(kind, 1, 'cancels at @ in the middle of the queue', ({ stage, shadows, theirs }) => {
    shadows.take();
    shadows.come();
    meanwhile(stage, () => shadows.come(2));
    return () => theirs.tryAcquire(1, 5);
  }),
  large(
    at(kind, 1, 'cancels at @ between other waiters that have cancelled', ({ stage, shadows, theirs }) => {
      shadows.take();
      shadows.come(3);
      meanwhile(stage, () => {
        shadows.come();
        for (const index of [1, 2, 3]) shadows.leave(index);
      });
      return () => theirs.tryAcquire(1, 5);
    }),
  ),
  at(kind, 1, 'gets a permit of @ at the moment of its timeout', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(stage, () => {
      shadows.giveBack();
      return 'timed-out';
    });
    return () => theirs.tryAcquire(1, 5);
  }),
  ...[0, 2].map((behind) =>
    at(kind, 2, `cancels at @ while permits come, with ${behind} waiters behind it`, ({ stage, shadows, theirs }) => {
      shadows.take(2);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.acquireAsync(1, { signal, ref: false }).then(() => theirs.release(), nothing)]);
        shadows.come(behind);
        leaveInTheMiddle(stage, leave, () => shadows.giveBack(2));
        stage.living.life.before.delete('walk');
        await stage.settle();
        if (shadows.held > 0) shadows.giveBack(shadows.held);
        await stage.settle();
        await Promise.race([wait, stage.settle()]);
      };
    }),
  ),
];

function suddenly(kind: Kind, what: string, each: (scene: Scene) => void): Operation {
  return at(kind, 3, what, (scene) => {
    each(scene);
    return nothing;
  });
}

/** States in which the victim dies without a further step. */
export const handsAt = (kind: Kind): readonly Operation[] => [
  suddenly(kind, 'holds permits of @ for which other agents wait', ({ shadows, theirs }) => {
    for (let count = 0; count < 3; count++) theirs.acquire();
    shadows.come(5);
    shadows.leave(0);
    shadows.leave(3);
  }),
  suddenly(kind, 'waits for @ between other waiters', ({ shadows, theirs }) => {
    shadows.take(3);
    shadows.come();
    void together([theirs.acquireAsync(1, { ref: false }), theirs.acquireAsync(1, { ref: false })]);
    shadows.come();
  }),
  suddenly(kind, 'was granted permits of @ and had not run', ({ shadows, theirs }) => {
    shadows.take(3);
    void together([theirs.acquireAsync(1, { ref: false }), theirs.acquireAsync(1, { ref: false })]);
    shadows.come(2);
    shadows.giveBack(2);
  }),
  suddenly(kind, 'holds permits of @ and waits for more', ({ shadows, theirs }) => {
    shadows.take(2);
    theirs.acquire();
    shadows.come();
    void together(Array.from({ length: 3 }, () => theirs.acquireAsync(1, { ref: false })));
    shadows.come();
  }),
];

const ALL: readonly SchemeName[] = ['semaphore', 'ticket', 'waiting-array', 'chain', 'monitor', 'location', 'address'];

export const KINDS: readonly Kind[] = [
  ...ALL.map(lightweight),
  ...ALL.map((inner, index) => multilane(inner, index % 2 === 0 ? 'ordered' : 'random')),
  priority(0, 7),
  priority(6, 1),
];

const lifecycle = (kind: Kind): readonly Operation[] => [
  {
    name: `creates a ${kind.name} semaphore`,
    world: { pages: 2 },
    prepare: (stage) => () => kind.create({ living: stage.victim }, 2, undefined),
  },
  {
    name: `frees a ${kind.name} semaphore`,
    world: { pages: 2 },
    prepare: (stage) => {
      const theirs = kind.open(stage, kind.create(stage, 2, undefined));
      return () => theirs.free();
    },
  },
];

export const operationsAt = (kind: Kind): readonly Operation[] => [
  ...passing(kind),
  ...releasing(kind),
  ...waiting(kind),
  ...leaving(kind),
  ...lifecycle(kind),
];

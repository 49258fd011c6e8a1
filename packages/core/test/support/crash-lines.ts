// Operations of the victim: acquiring permits, waiting for them, giving up.

import type { Semaphore } from '../../src/index.ts';
import type { Meanwhile } from './crash.ts';
import { refused, together, type Operation, type Stage } from './crash-stage.ts';
import type { ShadowUser } from './shadow-user.ts';
import { signalByHand } from './signal-by-hand.ts';

export interface Scene {
  readonly stage: Stage;
  /** The living agent's use of the semaphore. */
  readonly ours: ShadowUser;
  /** The victim's own instance. */
  readonly theirs: Semaphore;
}

type Prepare = (scene: Scene) => (() => unknown) | Promise<() => unknown>;

export interface More {
  readonly max?: number;
  /** Whether the shadow counts what the victim's release did, although the victim dies right after its step. */
  readonly singleStep?: true;
  readonly world?: Operation['world'];
}

/** Returns an operation at a semaphore with `permits` permits. */
export function at(
  permits: number,
  name: string,
  prepare: Prepare,
  { max, singleStep, world = {} }: More = {},
): Operation {
  return {
    name,
    world,
    ...(max === undefined ? {} : { needs: 'bound' }),
    ...(singleStep === undefined ? {} : { needs: 'single step' }),
    prepare: (stage) => prepare({ stage, ...stage.semaphore(permits, { max }) }),
  };
}

export const SPINS = { policy: { spinMicros: 20, longTermThreshold: 2 } };

/** Sets the actions of the living agents during the victim's next sleeps. */
function meanwhile({ stage }: Scene, ...actions: Meanwhile[]): void {
  stage.life.meanwhile.push(...actions);
}

/** The victim performs `times` successful waits elsewhere. From then on it keeps elements. */
async function practise(stage: Stage, times = 1): Promise<void> {
  const { ours, theirs } = stage.semaphore(times);
  ours.take(times);
  const waits = Array.from({ length: times }, () => theirs.acquireAsync(1, { ref: false }));
  ours.giveBack(times);
  await stage.settle();
  await Promise.all(waits);
  theirs.release(times);
}

const taking: readonly Operation[] = [
  at(
    2,
    'takes a permit',
    ({ theirs }) =>
      () =>
        theirs.acquire(),
  ),
  at(5, 'takes several permits and gives them back', ({ theirs }) => () => {
    theirs.acquire(3);
    theirs.release(2);
    theirs.release();
  }),
  at(3, 'tries to take permits', ({ theirs }) => () => [
    theirs.tryAcquire(4),
    theirs.tryAcquire(2),
    theirs.tryAcquire(2),
  ]),
  at(
    3,
    'drains',
    ({ theirs }) =>
      () =>
        theirs.drain(),
  ),
  at(
    1,
    'takes a permit in an async call',
    ({ theirs }) =>
      () =>
        theirs.acquireAsync(),
  ),
];

const waiting: readonly Operation[] = [
  at(1, 'blocks for the first time', (scene) => {
    scene.ours.take();
    meanwhile(scene, () => scene.ours.giveBack());
    return () => scene.theirs.acquire();
  }),
  at(1, 'blocks with an element at hand', async (scene) => {
    await practise(scene.stage);
    scene.ours.take();
    meanwhile(scene, () => scene.ours.giveBack());
    return () => scene.theirs.acquire();
  }),
  at(1, 'blocks, and its permit is released just before it sleeps', async (scene) => {
    await practise(scene.stage);
    scene.ours.take();
    scene.stage.life.before.set('goToSleep', () => scene.ours.giveBack());
    return () => scene.theirs.acquire();
  }),
  at(
    1,
    'spins before it blocks',
    async (scene) => {
      await practise(scene.stage);
      scene.ours.take();
      meanwhile(scene, () => scene.ours.giveBack());
      return () => scene.theirs.acquire();
    },
    { world: SPINS },
  ),
  at(2, 'blocks in the middle of a line', (scene) => {
    const { ours } = scene;
    ours.take(2);
    ours.wait(1);
    meanwhile(
      scene,
      () => ours.wait(1, 1),
      () => ours.giveBack(),
      () => ours.giveBack(),
    );
    return () => scene.theirs.acquire();
  }),
  at(3, 'blocks for several permits that are released one by one', (scene) => {
    const { ours } = scene;
    ours.take(3);
    meanwhile(
      scene,
      () => ours.wait(2),
      () => ours.giveBack(),
      () => ours.giveBack(),
      () => ours.giveBack(),
    );
    return () => scene.theirs.acquire(3);
  }),
  at(6, 'blocks for several permits behind others', (scene) => {
    const { ours } = scene;
    ours.take(6);
    ours.wait(1, 2);
    meanwhile(
      scene,
      () => ours.wait(1),
      () => ours.giveBack(2),
      () => ours.giveBack(4),
    );
    return () => scene.theirs.acquire(3);
  }),
  at(1, 'waits in an async call', ({ stage, ours, theirs }) => {
    ours.take();
    return async () => {
      const wait = together([theirs.acquireAsync(1, { ref: false })]);
      ours.giveBack();
      await stage.settle();
      await wait;
    };
  }),
  at(10, 'waits in more async calls than it keeps elements for', ({ stage, ours, theirs }) => {
    ours.take(10);
    return async () => {
      const waits = together(Array.from({ length: 10 }, () => theirs.acquireAsync(1, { ref: false })));
      ours.giveBack(10);
      await stage.settle();
      await waits;
    };
  }),
  at(6, 'waits in async calls between others', ({ stage, ours, theirs }) => {
    ours.take(6);
    return async () => {
      ours.wait(1);
      const first = theirs.acquireAsync(2, { ref: false });
      ours.wait(2);
      const waits = together([first, theirs.acquireAsync(1, { ref: false })]);
      ours.giveBack(6);
      await stage.settle();
      await waits;
    };
  }),
];

const leaving: readonly Operation[] = [
  at(1, 'times out as the last in line', ({ ours, theirs }) => {
    ours.take();
    return () => theirs.tryAcquire(1, 5);
  }),
  at(1, 'times out in the middle of a line', (scene) => {
    scene.ours.take();
    scene.ours.wait(1);
    meanwhile(scene, () => scene.ours.wait(1, 1));
    return () => scene.theirs.tryAcquire(1, 5);
  }),
  at(3, 'times out at the head of the line with permits gathered', (scene) => {
    const { ours, theirs } = scene;
    ours.take(3);
    meanwhile(
      scene,
      () => ours.wait(1, 1),
      () => ours.giveBack(2),
    );
    return () => theirs.tryAcquire(3, 5);
  }),
  at(4, 'times out behind cancelled waiters', (scene) => {
    const { ours, theirs } = scene;
    ours.take(4);
    ours.wait(1, 2, 1);
    meanwhile(
      scene,
      () => ours.leave(1),
      () => ours.leave(2),
    );
    return () => theirs.tryAcquire(2, 5);
  }),
  at(1, 'is granted at the moment of its timeout', ({ stage, ours, theirs }) => {
    ours.take();
    stage.life.meanwhile.push(() => {
      ours.giveBack();
      return 'timed-out';
    });
    return () => theirs.tryAcquire(1, 5);
  }),
  ...[[], [1], [3, 1]].map((behind) =>
    at(4, `aborts an async wait for several permits with ${behind.length} behind it`, ({ stage, ours, theirs }) => {
      ours.take(4);
      return async () => {
        const { signal, leave } = signalByHand();
        const wait = together([theirs.acquireAsync(3, { signal, ref: false }).catch(ignore)]);
        ours.wait(...behind);
        ours.giveBack(2);
        await stage.settle();
        leave();
        await wait;
      };
    }),
  ),
  ...[0, 1].map((behind) =>
    at(1, `may not block behind its own async wait, with ${behind} behind it`, ({ stage, ours, theirs }) => {
      ours.take();
      const wait = together([theirs.acquireAsync(1, { ref: false })]);
      if (behind > 0) stage.life.before.set('cancelWait', () => ours.wait(1));
      return async () => {
        await refused('SLUICE_DEADLOCK', () => theirs.acquire());
        ours.giveBack();
        await stage.settle();
        await wait;
      };
    }),
  ),
];

function ignore(): void {
  // The outcome of the victim's wait does not matter here.
}

export const lineOperations: readonly Operation[] = [...taking, ...waiting, ...leaving];

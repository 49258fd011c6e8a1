// An agent dies at every point of every operation at a keyed mutex, and so does the agent that recovers it. Afterwards
// the key's waiters get its lock, and no entry of the key is left in memory.

import '../../core/test/support/crash-injection.ts';
import { guardOf, meanwhile, orphan, suddenly } from '../../core/test/support/crash-offices.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { KeyedMutex } from '../src/index.ts';
import { atKeys, KEY, keyScene } from './support/crash-keys.ts';
import './support/kinds.ts';

function nothing(): void {
  // The victim does nothing more.
}

const taking: readonly Operation[] = [
  atKeys('locks a key and unlocks it', ({ theirs }) => () => {
    theirs.lock(KEY);
    theirs.unlock(KEY);
  }),
  {
    ...atKeys('locks a key in other ways', ({ theirs }) => async () => {
      theirs.tryLock(KEY);
      theirs.tryLock(KEY);
      theirs.unlock(KEY);
      await theirs.lockAsync(KEY);
      theirs.unlock(KEY);
      theirs.run(KEY, nothing);
    }),
    large: true,
  },
  atKeys('tries to lock a key that another agent owns', ({ shadows, theirs }) => {
    shadows.take();
    return () => [theirs.tryLock(KEY), theirs.tryLock(KEY)];
  }),
  atKeys('locks two keys of one list', ({ theirs }) => () => {
    theirs.lock('liquid');
    theirs.lock('costarring');
    theirs.unlock('liquid');
    theirs.unlock('costarring');
  }),
  atKeys('locks a key with a long name', ({ theirs }) => () => {
    const key = 'x'.repeat(120);
    theirs.lock(key);
    theirs.unlock(key);
  }),
];

const unlocking: readonly Operation[] = [
  ...[1, 3].map((waiters) =>
    atKeys(`unlocks a key with ${waiters} waiters`, ({ shadows, theirs }) => {
      theirs.lock(KEY);
      shadows.come(waiters);
      return () => theirs.unlock(KEY);
    }),
  ),
  atKeys('unlocks a key whose waiters have all cancelled', ({ shadows, theirs }) => {
    theirs.lock(KEY);
    shadows.come(2);
    for (const index of [0, 1]) shadows.leave(index);
    return () => theirs.unlock(KEY);
  }),
];

const waiting: readonly Operation[] = [
  atKeys('waits for a key and gets it', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(stage, () => shadows.go());
    return () => {
      theirs.lock(KEY);
      theirs.unlock(KEY);
    };
  }),
  atKeys('times out at a key', ({ shadows, theirs }) => {
    shadows.take();
    return () => theirs.tryLock(KEY, 5);
  }),
  atKeys('times out at a key that is unlocked meanwhile', ({ stage, shadows, theirs }) => {
    shadows.take();
    meanwhile(stage, () => {
      shadows.go();
      return 'timed-out';
    });
    return () => theirs.tryLock(KEY, 5);
  }),
  atKeys('waits for a key in an async call', ({ stage, shadows, theirs }) => {
    shadows.take();
    return async () => {
      const wait = together([theirs.lockAsync(KEY, { ref: false }).then(() => theirs.unlock(KEY))]);
      shadows.go();
      await stage.settle();
      await wait;
    };
  }),
  atKeys('is told of a dead owner of a key', async ({ stage, shadows, theirs }) => {
    await orphan(stage, (agent) => KeyedMutex.from(stage.world.handle(shadows.keyed.handle, agent)).at(KEY));
    return () => {
      const guard = guardOf(() => theirs.lock(KEY));
      guard?.markConsistent();
      guard?.release();
    };
  }),
];

const making: readonly Operation[] = [
  {
    name: 'creates a keyed mutex',
    prepare:
      ({ victim }) =>
      () =>
        KeyedMutex.create({ arena: victim.arena, name: 'new' }),
  },
  {
    name: 'frees a keyed mutex',
    prepare(stage) {
      const { handle } = KeyedMutex.create({ arena: stage.living.arena });
      const theirs = KeyedMutex.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

crashSuite({
  operations: [...taking, ...unlocking, ...waiting, ...making],
  holdings: [
    suddenly('owns a key with waiters', (stage) => {
      const { shadows, theirs } = keyScene(stage);
      theirs.lock(KEY);
      shadows.come(2);
    }),
    suddenly('owns a key without waiters', (stage) => keyScene(stage).theirs.lock(KEY)),
    suddenly('waits for a key', (stage) => {
      const { shadows, theirs } = keyScene(stage);
      shadows.take();
      void together([theirs.lockAsync(KEY, { ref: false })]);
      shadows.come();
    }),
    suddenly('was handed a key and did not yet know it', (stage) => {
      const { shadows, theirs } = keyScene(stage);
      shadows.take();
      void together([theirs.lockAsync(KEY, { ref: false })]);
      shadows.come();
      shadows.go();
    }),
  ],
});

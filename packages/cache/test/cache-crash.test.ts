// An agent dies at every point of every operation at a cache, and so does the agent that recovers it. Afterwards the
// waiters get a value, every value is whole, and no chunk and no key's lock is lost.

import '../../core/test/support/crash-injection.ts';
import { meanwhile, suddenly } from '../../core/test/support/crash-offices.ts';
import { together, type Operation } from '../../core/test/support/crash-stage.ts';
import { crashSuite } from '../../core/test/support/crash-suite.ts';
import { SharedCache } from '../src/index.ts';
import { atCache, cacheScene, KEY, valueOf } from './support/crash-caches.ts';
import './support/kinds.ts';

const LONG = 1000;

function never(): never {
  throw new Error('The function was called.');
}

const reading: readonly Operation[] = [
  atCache('gets a value that is there', ({ shadows, theirs }) => {
    shadows.cache.set('a', valueOf('a'));
    shadows.cache.set('b', valueOf('b'));
    return () => [theirs.get('a', never), theirs.peek('b'), theirs.has('b')];
  }),
  atCache(
    'computes a value',
    ({ theirs }) =>
      () =>
        theirs.get('a', () => valueOf('a', LONG)),
  ),
  atCache('computes a value in an async call', ({ stage, theirs }) => async () => {
    const wait = together([theirs.getAsync('a', () => valueOf('a'), { ref: false })]);
    await stage.settle();
    await wait;
  }),
  atCache('computes a value for a waiter', ({ stage, shadows, theirs }) => async () => {
    const wait = together([
      theirs.getAsync(
        KEY,
        () => {
          shadows.come();
          return valueOf(KEY);
        },
        { ref: false },
      ),
    ]);
    await stage.settle();
    await wait;
  }),
];

const waiting: readonly Operation[] = [
  atCache('waits for a value and gets it', async ({ stage, shadows, theirs }) => {
    shadows.take();
    await stage.settle();
    return async () => {
      const wait = together([theirs.getAsync(KEY, never, { ref: false })]);
      shadows.go();
      await stage.settle();
      await wait;
    };
  }),
  atCache('times out at a value that another agent computes', async ({ stage, shadows, theirs }) => {
    shadows.take();
    await stage.settle();
    meanwhile(stage, () => 'timed-out');
    return () => [theirs.tryGet(KEY, never), theirs.tryGet(KEY, never, 5)];
  }),
];

const changing: readonly Operation[] = [
  atCache(
    'sets a value',
    ({ theirs }) =>
      () =>
        theirs.set('a', valueOf('a')),
  ),
  atCache('replaces a value', ({ shadows, theirs }) => {
    shadows.cache.set('a', valueOf('a', LONG));
    return () => theirs.set('a', valueOf('a'));
  }),
  atCache('sets a value in place of others', ({ shadows, theirs }) => {
    for (const key of ['a', 'b']) shadows.cache.set(key, valueOf(key, LONG));
    return () => theirs.set('long', valueOf('long', 3500));
  }),
  atCache('deletes values', ({ shadows, theirs }) => {
    shadows.cache.set('a', valueOf('a', LONG));
    return () => [theirs.delete('a'), theirs.delete('b')];
  }),
  atCache('clears a cache', ({ shadows, theirs }) => {
    for (const key of ['a', 'b']) shadows.cache.set(key, valueOf(key));
    return () => theirs.clear();
  }),
  atCache('deletes a key that another agent computes', async ({ stage, shadows, theirs }) => {
    shadows.take();
    await stage.settle();
    return () => theirs.delete(KEY);
  }),
];

const making: readonly Operation[] = [
  {
    name: 'creates a cache',
    prepare:
      ({ victim }) =>
      () =>
        SharedCache.create({ arena: victim.arena, maxBytes: 4096, name: 'new' }),
  },
  {
    name: 'frees a cache',
    prepare(stage) {
      const { handle } = SharedCache.create({ arena: stage.living.arena, maxBytes: 4096 });
      const theirs = SharedCache.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
];

/** A computation that does not end. */
const forever = async (): Promise<string> => new Promise(() => undefined);

crashSuite({
  operations: [...reading, ...waiting, ...changing, ...making],
  holdings: [
    suddenly('computes a value for which others wait', (stage) => {
      const { shadows, theirs } = cacheScene(stage);
      void together([theirs.getAsync(KEY, forever, { ref: false })]);
      shadows.come();
    }),
    suddenly('computes a value for which no other waits', (stage) => {
      void together([cacheScene(stage).theirs.getAsync('a', forever, { ref: false })]);
    }),
    suddenly('waits for a value', (stage) => {
      const { shadows, theirs } = cacheScene(stage);
      shadows.take();
      void together([theirs.getAsync(KEY, never, { ref: false })]);
      shadows.come();
    }),
  ],
});

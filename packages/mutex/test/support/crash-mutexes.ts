// What the victim does at a mutex or a recursive mutex when it dies.

import { guardOf, meanwhile, orphan } from '../../../core/test/support/crash-offices.ts';
import type { Operation } from '../../../core/test/support/crash-stage.ts';
import { lockOperations } from '../../../core/test/support/owned-lock/crash.ts';
import { atLock, type CrashKind } from '../../../core/test/support/owned-lock/crash-scene.ts';
import type { Mutex, RecursiveMutex } from '../../src/index.ts';
import { MUTEX, RECURSIVE } from './kinds.ts';

const STEPS = { tells: 'walk', cancels: 'cancelMutexWait' };
export const mutex: CrashKind<Mutex> = { kind: MUTEX, name: 'a mutex', ...STEPS };
export const recursive: CrashKind<RecursiveMutex> = { kind: RECURSIVE, name: 'a recursive mutex', ...STEPS };

const nested: readonly Operation[] = [
  atLock(recursive, 'locks @ three times and unlocks it', ({ theirs }) => () => {
    for (let depth = 0; depth < 3; depth++) theirs.lock();
    for (let depth = 0; depth < 3; depth++) theirs.unlock();
  }),
  atLock(recursive, 'dies at depth 4 of @ with waiters', ({ shadows, side, theirs }) => {
    for (let depth = 0; depth < 4; depth++) theirs.lock();
    shadows.come(side, 2);
    return () => theirs.run(() => theirs.unlock());
  }),
  {
    name: 'frees a recursive mutex',
    prepare(stage) {
      const { handle } = RECURSIVE.create({ arena: stage.living.arena });
      const theirs = RECURSIVE.from(stage.world.handle(handle, stage.victim));
      return () => theirs.free();
    },
  },
  atLock(recursive, 'unlocks @ twice with waiters', ({ shadows, side, theirs }) => {
    theirs.lock();
    theirs.lock();
    shadows.come(side, 2);
    return () => {
      theirs.unlock();
      theirs.unlock();
    };
  }),
  atLock(recursive, 'blocks on @ and locks it again', ({ stage, open, shadows, side, theirs }) => {
    shadows.take(side);
    const another = { lock: open(stage.third), shared: false };
    meanwhile(stage, () => shadows.come(another), () => shadows.go());
    return () => {
      theirs.lock();
      theirs.lock();
    };
  }),
  atLock(recursive, 'is told of a dead owner of @ and locks it again', async ({ stage, open, shadows, side, theirs }) => {
    await orphan(stage, open);
    return () => {
      const guard = guardOf(() => theirs.lock());
      shadows.come(side);
      theirs.lock();
      theirs.unlock();
      guard?.markConsistent();
      guard?.release();
    };
  }),
];

export const mutexOperations: readonly Operation[] = [...lockOperations(mutex), ...nested];

// Operations of the victim at a mutex or a recursive mutex.

import { guardOf, meanwhile, orphan } from '../../../core/test/support/crash-offices.ts';
import type { Operation } from '../../../core/test/support/crash-stage.ts';
import { lockOperations } from '../../../core/test/support/owned-lock/crash.ts';
import { atLock, type CrashKind } from '../../../core/test/support/owned-lock/crash-scene.ts';
import type { Mutex, RecursiveMutex } from '../../src/index.ts';
import { MUTEX, MUTEX_IN_TURNS, RECURSIVE, RECURSIVE_IN_TURNS } from './kinds.ts';

// A hand-over in order needs no walk.
const IN_ORDER = { tells: 'notify', cancels: 'cancelMutexWait' };
const STEPS = { tells: 'walk', cancels: 'cancelMutexWait' };
export const mutex: CrashKind<Mutex> = { kind: MUTEX, name: 'a mutex', ...IN_ORDER };
export const recursive: CrashKind<RecursiveMutex> = { kind: RECURSIVE, name: 'a recursive mutex', ...IN_ORDER };
const mutexInTurns: CrashKind<Mutex> = { kind: MUTEX_IN_TURNS, name: 'a mutex in turns', ...STEPS };
const recursiveInTurns: CrashKind<RecursiveMutex> = {
  kind: RECURSIVE_IN_TURNS,
  name: 'a recursive mutex in turns',
  ...STEPS,
};

const nested = (recursive: CrashKind<RecursiveMutex>): readonly Operation[] => [
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
    name: `frees ${recursive.name}`,
    prepare(stage) {
      const { handle } = recursive.kind.create({ arena: stage.living.arena });
      const theirs = recursive.kind.from(stage.world.handle(handle, stage.victim));
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
    meanwhile(
      stage,
      () => shadows.come(another),
      () => shadows.go(),
    );
    return () => {
      theirs.lock();
      theirs.lock();
    };
  }),
  atLock(
    recursive,
    'is told of a dead owner of @ and locks it again',
    async ({ stage, open, shadows, side, theirs }) => {
      await orphan(stage, open);
      return () => {
        const guard = guardOf(() => theirs.lock());
        shadows.come(side);
        theirs.lock();
        theirs.unlock();
        guard?.markConsistent();
        guard?.release();
      };
    },
  ),
];

export const mutexOperations: readonly Operation[] = [...lockOperations(mutex), ...nested(recursive)];
export const operationsInTurns: readonly Operation[] = [...lockOperations(mutexInTurns), ...nested(recursiveInTurns)];

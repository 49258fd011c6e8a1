// Operations of the victim at the locks of this package during which it dies, and states in which it dies without a
// further step.

import { lockOperations } from '../../../core/test/support/owned-lock/crash.ts';
import {
  atLock,
  lockScene,
  owns,
  type CrashKind,
  type LockScene,
} from '../../../core/test/support/owned-lock/crash-scene.ts';
import { meanwhile, suddenly } from '../../../core/test/support/crash-offices.ts';
import { together, type Operation } from '../../../core/test/support/crash-stage.ts';
import { LIFO, MCS, RECIPROCATING, TICKET, TTS } from './kinds.ts';

const QUEUED = { tells: 'handOverQueued', cancels: 'cancelQueuedWait' };
const tts: CrashKind = {
  kind: TTS,
  name: 'a TTS lock',
  tells: 'walk',
  cancels: 'cancelTtsWait',
  traits: { unordered: true },
};
const LOCKS: readonly CrashKind[] = [
  tts,
  { kind: TICKET, name: 'a ticket lock', tells: 'walk', cancels: 'cancelWait', traits: { permits: 1n } },
  { kind: MCS, name: 'an MCS lock', ...QUEUED },
  { kind: LIFO, name: 'a LIFO lock', ...QUEUED, traits: { unordered: true } },
  { kind: RECIPROCATING, name: 'a reciprocating lock', ...QUEUED, traits: { unordered: true } },
];

/** A woken waiter competes with faster agents. */
const competing: readonly Operation[] = [
  atLock(tts, 'is woken for @ while other agents are faster', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    const snatch = (): void => {
      shadows.go();
      shadows.take(side);
    };
    meanwhile(
      stage,
      snatch,
      () => shadows.come(side),
      () => shadows.leave(0),
      snatch,
      () => shadows.go(),
    );
    return () => theirs.lock();
  }),
  ...[0, 2].map((others) =>
    atLock(
      tts,
      `is woken for @ at its timeout while other agents are faster, with ${others} waiters behind it`,
      ({ stage, shadows, side, theirs }) => {
        shadows.take(side);
        meanwhile(stage, () => {
          shadows.go();
          shadows.take(side);
          shadows.come(side, others);
          return 'timed-out';
        });
        return () => theirs.tryLock(5);
      },
    ),
  ),
  atLock(tts, 'is woken for @ in an async call while other agents are faster', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    return async () => {
      const wait = together([theirs.lockAsync({ ref: false })]);
      for (let times = 0; times < 3; times++) {
        shadows.go();
        shadows.take(side);
        await stage.settle();
      }
      shadows.go();
      await stage.settle();
      await wait;
      theirs.unlock();
    };
  }),
  atLock(tts, 'overtakes the waiters of @', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    shadows.come(side, 2);
    return async () => {
      shadows.go();
      theirs.lock();
      await stage.settle();
      theirs.unlock();
    };
  }),
];

/** A cancelled waiter of a queued lock leaves its place, and reuses it when it waits again. */
const comingBack: readonly Operation[] = LOCKS.filter(({ cancels }) => cancels === QUEUED.cancels).flatMap((of) => [
  atLock(of, 'cancels at @ and blocks at its old place', ({ stage, shadows, side, theirs }) => {
    shadows.take(side);
    // Another waiter, whose turn comes after that of the place.
    const isLastFirst = of.traits?.unordered === true;
    if (isLastFirst) shadows.come(side);
    const timeOut = (): string => {
      if (!isLastFirst) shadows.come(side);
      return 'timed-out';
    };
    meanwhile(stage, timeOut, () => shadows.go());
    return () => {
      theirs.tryLock(5);
      theirs.lock();
      theirs.unlock();
    };
  }),
  atLock(of, 'cancels at @ twice at one place', ({ shadows, side, theirs }) => {
    shadows.take(side);
    return () => {
      theirs.tryLock(5);
      theirs.tryLock(5);
      shadows.go();
    };
  }),
  atLock(
    of,
    'cancels at @ and comes back in an async call after its place was skipped',
    ({ stage, shadows, side, theirs }) => {
      shadows.take(side);
      shadows.come(side);
      return async () => {
        theirs.tryLock(5);
        shadows.go();
        await stage.settle();
        const wait = together([theirs.lockAsync({ ref: false })]);
        for (let times = 0; times < 2; times++) {
          shadows.go();
          await stage.settle();
        }
        await wait;
        theirs.unlock();
      };
    },
  ),
]);

function cameBack({ shadows, side, theirs }: LockScene): void {
  shadows.take(side);
  shadows.come(side);
  theirs.tryLock(5);
  shadows.come(side);
  void together([theirs.lockAsync({ ref: false })]);
}

function waits({ shadows, side, theirs }: LockScene): void {
  shadows.take(side);
  shadows.come(side);
  void together([theirs.lockAsync({ ref: false })]);
  shadows.come(side);
}

function wasHanded({ shadows, side, theirs }: LockScene): void {
  shadows.take(side);
  void together([theirs.lockAsync({ ref: false })]);
  shadows.go();
  shadows.come(side);
}

function atEach(name: string, each: (scene: LockScene) => void): Operation {
  return {
    ...suddenly(name, (stage) => {
      for (const of of LOCKS) each(lockScene(stage, of));
    }),
    world: { pages: 2 },
  };
}

export const lockHoldings: readonly Operation[] = [
  atEach('owns a lock of every kind', owns),
  atEach('waits for a lock of every kind', waits),
  atEach('waits for a lock of every kind, at its old place if it has one', cameBack),
  atEach('was handed a lock of every kind and had not learned of it', wasHanded),
];

export const operations: readonly Operation[] = [
  ...LOCKS.flatMap((of) => lockOperations(of)),
  ...competing,
  ...comingBack,
];

// Operations of the victim: waiting without an element, owning a lock, and dying without a deed while it holds much.

import { ArenaFullError, Region, type OwnerDiedError } from '../../src/index.ts';
import { at } from './crash-lines.ts';
import type { Meanwhile } from './crash.ts';
import { refused, together, type Operation, type Stage } from './crash-stage.ts';
import type { ShadowUser } from './shadow-user.ts';

/** The number of elements of a pool's first block. */
export const FIRST_ELEMENTS = 16;

/**
 * Leaves only two elements free, which the living agent keeps. All other elements wait elsewhere, and the arena has no
 * room for more.
 */
export async function exhaust(stage: Stage): Promise<ShadowUser> {
  const crowd = stage.shadowUser(2);
  crowd.take(2);
  crowd.wait(...Array.from({ length: FIRST_ELEMENTS }, () => 1));
  crowd.giveBack(2);
  await stage.settle();
  for (const bytes of [8192 - 128, 1024, 1]) fill(stage, bytes);
  return crowd;
}

function fill({ living }: Stage, bytes: number): void {
  try {
    for (;;) Region.create(bytes, { arena: living.arena });
  } catch (full) {
    if (!(full instanceof ArenaFullError)) throw full;
  }
}

/**
 * The victim draws a ticket without an element. Another agent draws a ticket before the victim can roll its own back.
 */
function withoutElement(
  name: string,
  meanwhile: (ours: ShadowUser, crowd: ShadowUser) => readonly Meanwhile[],
  ends?: 'SLUICE_ARENA_FULL' | 'SLUICE_CLOSED',
): Operation {
  return at(2, `has no element for its ticket ${name}`, async ({ stage, ours, theirs }) => {
    const crowd = await exhaust(stage);
    ours.take(2);
    ours.wait(1);
    stage.life.before.set('withdraw', () => ours.wait(1));
    stage.life.meanwhile.push(...meanwhile(ours, crowd));
    return ends === undefined ? () => theirs.acquire() : () => refused(ends, () => theirs.acquire());
  });
}

/** The waiter behind the victim cancels, and its element serves another wait at once. */
function pass(ours: ShadowUser, crowd: ShadowUser): void {
  ours.leave(1);
  crowd.wait(1);
}

function nothing(): void {
  // Time passes.
}

const elements: readonly Operation[] = [
  at(1, 'has no element for its ticket and is last in line', async ({ stage, ours, theirs }) => {
    await exhaust(stage);
    ours.take();
    return () => refused('SLUICE_ARENA_FULL', () => theirs.acquire());
  }),
  withoutElement('until it is granted', (ours) => [nothing, () => ours.giveBack(2)]),
  withoutElement('until it is last in line', (ours, crowd) => [nothing, () => pass(ours, crowd)], 'SLUICE_ARENA_FULL'),
  withoutElement('until the semaphore is closed', (ours) => [() => ours.sem.close()], 'SLUICE_CLOSED'),
  withoutElement('until it gets an element', (ours, crowd) => [
    () => crowd.leave(FIRST_ELEMENTS - 1),
    () => ours.giveBack(2),
  ]),
];

/** Kills an agent that owns the lock, and recovers it. */
async function loseLock(stage: Stage, ours: ReturnType<Stage['lock']>['ours']): Promise<void> {
  const owner = stage.world.join();
  ours.at(owner, stage.world).lock();
  owner.life.die();
  stage.living.arena.reclaim(owner.context.id);
  await stage.settle();
}

function inherits(name: string, act: (lock: ReturnType<Stage['lock']>['theirs']) => unknown): Operation {
  return {
    name: `inherits a lock and ${name}`,
    async prepare(stage) {
      const { ours, theirs } = stage.lock();
      await loseLock(stage, ours);
      return () => act(theirs);
    },
  };
}

function guardOf(call: () => void): OwnerDiedError['guard'] {
  try {
    call();
  } catch (failure) {
    if (typeof failure === 'object' && failure !== null && 'guard' in failure) return (failure as OwnerDiedError).guard;
    throw failure;
  }
  throw new Error('No lock was inherited.');
}

const locks: readonly Operation[] = [
  {
    name: 'owns a lock that others want, and unlocks it',
    prepare(stage) {
      const { ours, theirs } = stage.lock();
      theirs.lock();
      ours.wait(2);
      return () => theirs.unlock();
    },
  },
  {
    name: 'waits for a lock',
    prepare(stage) {
      const { ours, theirs } = stage.lock();
      ours.take();
      stage.life.meanwhile.push(() => {
        ours.wait(2);
        ours.giveBack();
      });
      return () => theirs.lock();
    },
  },
  {
    name: 'waits for a lock in an async call and unlocks it',
    prepare(stage) {
      const { ours, theirs } = stage.lock();
      ours.take();
      return async () => {
        const wait = together([theirs.lockAsync({ ref: false })]);
        ours.wait();
        ours.giveBack();
        await stage.settle();
        await wait;
        theirs.unlock();
      };
    },
  },
  inherits('repairs the data under the lock', (lock) => {
    const guard = guardOf(() => lock.lock());
    guard?.markConsistent();
    guard?.release();
  }),
  inherits('repairs nothing', (lock) => guardOf(() => lock.tryLock())?.release()),
  inherits('declines it', (lock) => guardOf(() => lock.run(nothing))),
  inherits('is refused the lock', (lock) => {
    guardOf(() => lock.lock())?.release();
    guardOf(() => lock.lock());
  }),
];

/** Operations in which the victim dies without a deed while it holds something. */
export const handOperations: readonly Operation[] = [
  {
    name: 'holds permits, waits and was granted permits, all at several semaphores',
    async prepare(stage) {
      const [held, between, last, granted] = [
        stage.semaphore(9),
        stage.semaphore(2),
        stage.semaphore(2),
        stage.semaphore(3),
      ];
      held.theirs.acquire(4);
      held.ours.wait(6, 1);
      for (const { ours } of [between, last]) ours.take(2);
      between.ours.wait(1);
      const waits = [between.theirs.acquireAsync(2, { ref: false }), last.theirs.acquireAsync(1, { ref: false })];
      between.ours.wait(1);
      granted.ours.take(3);
      waits.push(granted.theirs.acquireAsync(2, { ref: false }));
      granted.ours.wait(2);
      granted.ours.giveBack(2);
      void together(waits);
      await Promise.resolve();
      return nothing;
    },
  },
  ...[1, 2, 3].map((released) =>
    at(4, `holds 3 permits, of which another agent returned ${released}`, ({ ours, theirs }) => {
      theirs.acquire(3);
      ours.sem.release(released);
      // The others return permits of the victim. So 3 minus these permits must be restored.
      return nothing;
    }),
  ),
  {
    name: 'holds permits of a semaphore that was freed, and of another in its memory',
    prepare(stage) {
      const old = stage.semaphore(2);
      old.theirs.acquire(2);
      old.ours.sem.free();
      const next = stage.semaphore(2);
      next.theirs.acquire();
      return nothing;
    },
  },
];

export const rareOperations: readonly Operation[] = [...elements, ...locks];

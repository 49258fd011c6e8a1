// Tests calls that acquire several locks after owners died, and the death of an agent that holds several locks.

import { expect, test } from 'vitest';
import './support/crash-injection.ts';
import {
  hasCode,
  holdAll,
  holdAllAsync,
  runAll,
  runAllAsync,
  Semaphore,
  tryHoldAll,
  type OwnedLock,
  type RecoveryGuard,
} from '../src/index.ts';
import { SemaphoreLock } from './jobs/semaphore-lock.mjs';
import { Life } from './support/crash.ts';
import { World, type Agent } from './support/crash-world.ts';

interface Holder extends Agent {
  readonly locks: readonly [SemaphoreLock, SemaphoreLock, SemaphoreLock];
  readonly slots: Semaphore;
}

/** An arena with three locks and four permits. Its first agent never dies. */
class Scene {
  readonly world = new World({ engine: 'wasm' });
  readonly first: Holder;

  constructor() {
    const agent = this.world.join();
    const { arena } = agent;
    const create = (name: string): SemaphoreLock => SemaphoreLock.create({ arena, name });
    const locks = [create('a'), create('b'), create('c')] as const;
    this.first = { ...agent, locks, slots: Semaphore.create(4, { arena, name: 'slots' }) };
  }

  join(): Holder {
    const agent = this.world.join(new Life(this.world.lot));
    const open = ({ handle }: SemaphoreLock): SemaphoreLock => SemaphoreLock.from(this.world.handle(handle, agent));
    const [a, b, c] = this.first.locks;
    return {
      ...agent,
      locks: [open(a), open(b), open(c)],
      slots: Semaphore.from(this.world.handle(this.first.slots.handle, agent)),
    };
  }

  async bury({ life, context }: Holder): Promise<void> {
    life.die();
    this.first.arena.reclaim(context.id);
    await this.world.settle();
  }

  /** Kills an agent while it owns the locks with those indices. */
  async orphan(...indices: readonly number[]): Promise<void> {
    const owner = this.join();
    for (const index of indices) owner.locks[index]?.lock();
    await this.bury(owner);
  }

  get states(): readonly string[] {
    return this.first.locks.map((lock) => lock.consistency);
  }

  get owned(): readonly boolean[] {
    return this.first.locks.map((lock) => lock.owned);
  }
}

const NONE = [false, false, false];
const ALL = [true, true, true];
const FINE = ['consistent', 'consistent', 'consistent'];

function caught(call: () => unknown): unknown {
  try {
    call();
  } catch (failure) {
    return failure;
  }
  throw new Error('The call did not fail.');
}

/** Returns the guard of a notice. */
function guardOf(failure: unknown): RecoveryGuard {
  if (!hasCode(failure, 'SLUICE_OWNER_DIED') || failure.guard === undefined) throw failure;
  return failure.guard;
}

test('the locks and permits of an agent that dies after holdAll() are passed on', async () => {
  const scene = new Scene();
  const holder = scene.join();
  holdAll([...holder.locks, holder.slots.asLock(3)]);
  expect([scene.first.slots.available, scene.first.locks[0].tryLock()]).toEqual([1, false]);
  await scene.bury(holder);
  expect([scene.first.slots.available, scene.states]).toEqual([4, ['orphaned', 'orphaned', 'orphaned']]);
});

test('an agent that dies while it waits for one of the locks leaves neither the locks nor a place in line', async () => {
  const scene = new Scene();
  const holder = scene.join();
  const [a, , c] = scene.first.locks;
  c.lock();
  void holdAllAsync(holder.locks, { ref: false }).catch(() => undefined);
  await scene.world.settle();
  expect([a.tryLock(), c.waiting]).toEqual([false, 1]);
  await scene.bury(holder);
  expect([c.waiting, scene.states]).toEqual([0, ['orphaned', 'orphaned', 'consistent']]);
  c.unlock();
});

test.each([
  ['holdAll', (locks: readonly OwnedLock[]) => holdAll(locks)],
  ['tryHoldAll', (locks: readonly OwnedLock[]) => tryHoldAll(locks)],
  ['tryHoldAll with a timeout', (locks: readonly OwnedLock[]) => tryHoldAll(locks, 5)],
] as const)('%s throws one notice whose guard holds all locks and marks the inherited ones', async (_name, call) => {
  const scene = new Scene();
  await scene.orphan(0, 2);
  const failure = caught(() => call(scene.first.locks.toReversed()));
  expect(String(failure)).toContain("the owner of SemaphoreLock 'a', SemaphoreLock 'c' died");
  const guard = guardOf(failure);
  expect([scene.owned, scene.states]).toEqual([ALL, ['inherited', 'consistent', 'inherited']]);
  guard.markConsistent();
  guard.markConsistent();
  guard.release();
  expect([scene.owned, scene.states]).toEqual([NONE, FINE]);
});

test('a body does not run without a lock that onOwnerDied has released', async () => {
  const scene = new Scene();
  const bodies: string[] = [];
  const body = (): void => void bodies.push('body');
  const release = (_guard: RecoveryGuard, [inherited]: readonly OwnedLock[]): void => inherited?.unlock();
  await scene.orphan(1);
  expect(caught(() => runAll(scene.first.locks, body, { onOwnerDied: release }))).toMatchObject({
    code: 'SLUICE_OWNER_DIED',
    message: expect.stringContaining('onOwnerDied released the locks') as string,
  });
  expect([scene.owned, bodies]).toEqual([NONE, []]);

  const other = new Scene();
  await other.orphan(1);
  await expect(runAllAsync(other.first.locks, body, { onOwnerDied: release })).rejects.toMatchObject({
    code: 'SLUICE_OWNER_DIED',
  });
  expect([other.owned, bodies]).toEqual([NONE, []]);
});

test('holdAllAsync() rejects with the notice', async () => {
  const scene = new Scene();
  await scene.orphan(1);
  const failure = await holdAllAsync(scene.first.locks).catch((reason: unknown) => reason);
  expect([scene.owned, scene.states]).toEqual([ALL, ['consistent', 'inherited', 'consistent']]);
  guardOf(failure).release();
  // As after `lock`: what was released without a repair is refused to all callers.
  expect([scene.owned, scene.states]).toEqual([NONE, ['consistent', 'unrecoverable', 'consistent']]);
});

test('an unrecoverable lock is refused: no lock is held, and the next owner of an inherited lock gets its notice', async () => {
  const scene = new Scene();
  await scene.orphan(0, 1);
  guardOf(caught(() => scene.first.locks[1].lock())).release();
  for (const call of [
    () => holdAll(scene.first.locks),
    () => tryHoldAll(scene.first.locks),
    () => runAll(scene.first.locks, () => 0, { onOwnerDied: (guard) => guard.markConsistent() }),
  ]) {
    expect(caught(call)).toMatchObject({ code: 'SLUICE_OWNER_DIED', guard: undefined });
    expect([scene.owned, scene.states]).toEqual([NONE, ['orphaned', 'unrecoverable', 'consistent']]);
  }
});

test('a call that times out after it inherited a lock leaves the notice to the next owner', async () => {
  const scene = new Scene();
  await scene.orphan(0);
  const other = scene.join();
  other.locks[2].lock();
  expect(tryHoldAll(scene.first.locks)).toBeNull();
  expect([scene.owned, scene.states]).toEqual([NONE, ['orphaned', 'consistent', 'consistent']]);
});

test('runAll() without onOwnerDied does not run the body, holds nothing and leaves the notices', async () => {
  const scene = new Scene();
  await scene.orphan(0, 2);
  let ran = 0;
  const failures = [
    caught(() => runAll(scene.first.locks, () => ran++)),
    await runAllAsync(scene.first.locks, () => ran++).catch((reason: unknown) => reason),
  ];
  for (const failure of failures) {
    expect(failure).toMatchObject({ code: 'SLUICE_OWNER_DIED', guard: undefined });
    expect(String(failure)).toContain('Pass onOwnerDied to repair it.');
  }
  expect([ran, scene.owned, scene.states]).toEqual([0, NONE, ['orphaned', 'consistent', 'orphaned']]);
});

test('onOwnerDied gets the guard and the inherited locks, once, and then the body runs', async () => {
  for (const way of ['runAll', 'runAllAsync']) {
    const scene = new Scene();
    await scene.orphan(0, 2);
    const { locks } = scene.first;
    const seen: unknown[] = [];
    const onOwnerDied = (guard: RecoveryGuard, inherited: readonly OwnedLock[]): void => {
      seen.push(inherited.map(String), scene.owned);
      guard.markConsistent();
    };
    const body = (): string => 'ran';
    const result =
      way === 'runAll' ? runAll(locks, body, { onOwnerDied }) : await runAllAsync(locks, body, { onOwnerDied });
    expect([result, seen]).toEqual(['ran', [["SemaphoreLock 'a'", "SemaphoreLock 'c'"], ALL]]);
    expect([scene.owned, scene.states]).toEqual([NONE, FINE]);
  }
});

test('an onOwnerDied that marks only one of the locks keeps the notice of the other', async () => {
  const scene = new Scene();
  await scene.orphan(0, 2);
  let ran = 0;
  const failure = caught(() =>
    runAll(scene.first.locks, () => ran++, { onOwnerDied: (_guard, inherited) => inherited[0]?.markConsistent() }),
  );
  expect(String(failure)).toContain('onOwnerDied did not mark all of them consistent');
  expect([ran, scene.owned, scene.states]).toEqual([0, NONE, ['consistent', 'consistent', 'orphaned']]);
});

test('an onOwnerDied that throws, returns a promise or releases the guard does not run the body', async () => {
  const scene = new Scene();
  const reason = new Error('no repair');
  const fails = (): never => {
    throw reason;
  };
  const body = (): never => {
    throw new Error('The body was called.');
  };
  await scene.orphan(1);
  expect(caught(() => runAll(scene.first.locks, body, { onOwnerDied: fails }))).toBe(reason);
  expect(await runAllAsync(scene.first.locks, body, { onOwnerDied: fails }).catch((failure: unknown) => failure)).toBe(
    reason,
  );
  const later = (() => Promise.resolve()) as unknown as () => void;
  expect(String(caught(() => runAll(scene.first.locks, body, { onOwnerDied: later })))).toContain(
    'the onOwnerDied returned a promise',
  );
  expect([scene.owned, scene.states]).toEqual([NONE, ['consistent', 'orphaned', 'consistent']]);
  let kept: RecoveryGuard | undefined;
  const releases = (guard: RecoveryGuard): void => {
    guard.markConsistent();
    guard.release();
    kept = guard;
  };
  expect(String(caught(() => runAll(scene.first.locks, body, { onOwnerDied: releases })))).toContain(
    'onOwnerDied released the locks',
  );
  expect([scene.owned, scene.states, kept?.held]).toEqual([NONE, FINE, false]);
});

// Cases of a lock behind a capacitor, for every route of an agent.

import type { Context, Options } from '@sluice/model';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Plan } from '../../../core/test/model/office-world.ts';
import { insideAt, PULSE } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { CapacitorCore } from './gate-world.ts';
import { begins, REFUSED, lockWorld, type LockActor, type LockBody, type LockSetup } from './lock-world.ts';
import { LOCK_MUTANTS } from './lock-mutants.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };
const THREE: Options = { preemptions: 3 };

/** Longer than any model takes, by the clock that the lock reads. */
const LONG_MS = 2 ** 30;

type Way = 'through' | 'around' | 'skipping';

/**
 * Acquires the lock and releases it. The body keeps its context, because the lock remembers the route. `back`: the
 * instance that releases the lock, if it differs.
 */
function stay(actor: LockActor, way: Way, back = way): void {
  const { ctx } = actor;
  ctx.assert(actor[way].owned, 'the lock is held, but isHeld is false');
  be(ctx);
  actor[back].unlock();
  ctx.assert(!actor[way].owned, 'the lock is released, but isHeld is true');
}

function be(ctx: Context): void {
  const { words, index } = ctx;
  words.put32(insideAt(index), 1);
  ctx.step('inside');
  words.load32(PULSE);
  words.put32(insideAt(index), 0);
}

/** Locks by these routes in turn. Stops if the inner lock refuses. */
const pass =
  (...ways: readonly Way[]): LockBody =>
  (actor) => {
    for (const [round, way] of ways.entries()) {
      begins(actor);
      try {
        actor[way].lock();
        stay(actor, way);
      } catch (failure) {
        if (failure !== REFUSED) throw failure;
      }
      actor.ctx.forget(round);
    }
  };

/** As `pass`, but may time out at any moment, at the capacitor or at the inner lock. */
const tryPass =
  (...ways: readonly Way[]): LockBody =>
  (actor) => {
    for (const [round, way] of ways.entries()) {
      begins(actor);
      if (actor[way].tryLock(LONG_MS)) stay(actor, way);
      actor.ctx.forget(round);
    }
  };

/** Makes non-blocking calls. */
const glance =
  (...ways: readonly Way[]): LockBody =>
  (actor) => {
    for (const [round, way] of ways.entries()) {
      begins(actor);
      if (actor[way].tryLock()) stay(actor, way);
      actor.ctx.forget(round);
    }
  };

/** Locks by one instance, and unlocks by the other. */
const cross: LockBody = (actor) => {
  actor.around.lock();
  stay(actor, 'around', 'through');
  actor.through.lock();
  stay(actor, 'through', 'around');
};

/** As `pass`, through a lock that can be inherited. Repairs after a death. */
const inherit =
  (rounds = 1, timed = false): LockBody =>
  (actor) => {
    const { core, through } = actor;
    for (let round = 0; round < rounds; round++) {
      try {
        if (timed && !through.tryLock(LONG_MS)) continue;
        if (!timed) through.lock();
      } catch (error) {
        if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
        through.markConsistent();
      }
      stay(actor, 'through');
      actor.ctx.forget(round);
    }
  };

/** Runs a body under the lock. After an owner's death the body does not run. */
const run: LockBody = ({ core, ctx, through }) => {
  try {
    through.run(() => be(ctx));
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
  }
};

export function lockDeathCases(core: CapacitorCore): Case[] {
  const make = (name: string, limit: number, bodies: readonly LockBody[], options: Options): Case =>
    lockWorld(core, { agents: bodies.length, limit, inner: 'lifo' }).case({ name, bodies, options, mayCrash: [0] });
  return [
    make('lock, B = 1, death of one of two agents', 1, [inherit(), inherit(), reclaim(0)], ONE),
    make('lock, B = 2, death of one of two agents', 2, [inherit(), inherit(2), reclaim(0)], ONE),
    make('lock, death of an agent while another may time out', 2, [inherit(), inherit(1, true), reclaim(0)], ONE),
    make('lock, death of an agent while another runs a body', 2, [inherit(), run, reclaim(0)], ONE),
    make('lock, B = 2, death of one of three agents', 2, [inherit(), inherit(), inherit(), reclaim(0)], {
      preemptions: 0,
    }),
  ];
}

export function lockCases(core: CapacitorCore): Case[] {
  const make = (
    name: string,
    limit: number,
    bodies: readonly LockBody[],
    options: Options,
    more: Partial<LockSetup & Plan<LockActor>> = {},
  ): Case => lockWorld(core, { agents: bodies.length, limit, ...more }).case({ name, bodies, options, ...more });
  const failing = { inner: 'failing' } as const;
  const mixed = { unbounded: true };
  return [
    make('lock, B = 1, two agents', 1, [pass('through', 'through'), pass('through')], ALL),
    make('lock, B = 2, two agents', 2, [pass('through', 'through'), pass('through')], ALL),
    make('lock, B = 2, three agents', 2, [pass('through'), pass('through'), pass('through')], TWO),
    make('lock, both agents may time out', 1, [tryPass('through', 'through'), tryPass('through')], TWO),
    make('lock, B = 2, one agent may time out', 2, [pass('through', 'through'), tryPass('through', 'through')], TWO),
    make('lock, a non-blocking call', 1, [pass('through', 'through'), glance('through', 'through')], ALL),
    make('lock, the inner lock refuses', 1, [pass('through', 'through'), pass('through')], THREE, failing),
    make(
      'lock, one agent bypasses the capacitor',
      1,
      [pass('through', 'around', 'through'), pass('through', 'through')],
      TWO,
      mixed,
    ),
    make('lock, agents use all routes', 1, [cross, pass('around', 'through')], THREE, mixed),
    make('lock, one of two agents skips', 1, [pass('through', 'through'), pass('skipping', 'skipping')], TWO),
    make('lock, both agents skip', 1, [pass('skipping', 'skipping'), pass('skipping', 'skipping')], THREE),
    make('lock, one of three agents skips', 2, [pass('through'), pass('through'), pass('skipping')], TWO),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'capacitor lock', entry: ENTRY, cases: lockCases, mutants: LOCK_MUTANTS },
  { name: 'capacitor lock death', entry: ENTRY, cases: lockDeathCases },
];

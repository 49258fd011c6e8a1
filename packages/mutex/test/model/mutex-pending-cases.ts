// Scenarios in which the agent that recovers a dead one has not loaded the mutex's kind, and leaves the mutex to agents
// that have.

import type { Options, Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import {
  AGENT_RECLAIMER,
  AGENT_STATE,
  AGENT_ALIVE,
  BLOCK_LINE,
  BLOCK_TAG,
  CAPACITY,
  ENTRY_HELD,
  ENTRY_LINE,
  ENTRY_TAG,
  FLAG_OWNED,
  FLAG_RECOVERY,
  FLAGS,
  GRANT,
  HEADER_PENDING,
  HEADER_TOP,
  HEALTH,
  KIND_SEMAPHORE,
  OFFICE,
  OWNER,
  OWNERS_AT,
  LINE,
  TICKET,
} from '../../../core/src/kernel/layout.ts';
import { ORPHANED } from '../../../core/src/kernel/states.ts';
import { changeBoth, checkNotice } from '../../../core/test/model/notice.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import { OfficeWorld, type Office, type Plan, type ShadowUser } from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, holdsAt, layBlocks, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { HOLDS, type Rules } from '../../../core/test/model/witness.ts';
import { OUTSIDER } from '../../../core/test/model/world.ts';
import { MUTEX as MUTEX_KIND, type MutexKernel } from '../../src/kinds.ts';
import { passOrAbort } from './mutex-cases.ts';
import { change, changeAsOwner, tryChange, wait } from './mutex-death-cases.ts';
import {
  MUTEX,
  mutexWorld,
  NOTICE,
  office,
  ownedWith,
  RULES,
  TAG,
  type MutexActor,
  type MutexBody,
  type MutexCore,
  type MutexSetup,
} from './mutex-world.ts';
import { PENDING_MUTANTS } from './mutex-pending-mutants.ts';

const ALL: Options = {};
const NO_PREEMPTION: Options = { preemptions: 0 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

/** Waits until that agent has ended or its recovery was left to others. Returns whether the recovery was left. */
function isLeft({ ctx }: MutexActor, agent = 0): boolean {
  const died = ctx.waitForDeath(agent);
  if (died) ctx.until(() => ctx.words.load32(HEADER_PENDING) !== 0);
  return died;
}

/** Tries once after the recovery was left, and gets the mutex. */
const tryOnce: MutexBody = (actor) => {
  const { ctx, mutex } = actor;
  if (!isLeft(actor)) return;
  changeBoth(actor, mutex, () => {
    const locked = mutex.tryLock();
    ctx.assert(locked, 'an agent with the kind found the mutex owned by a dead agent, and left it so');
    return locked;
  });
};

/** Like `change`, but only tries. */
const glanceAndChange: MutexBody = (actor) => changeBoth(actor, actor.mutex, () => actor.mutex.tryLock());

/** Has seen the count at another primitive before it loads the kind. It uses no mutex then. */
const onlyOpen: MutexBody = (actor) => {
  const { core, ctx, context } = actor;
  if (!isLeft(actor)) return;
  core.finishPending(context);
  // The agent has the kind already. Only opening the mutex checks the count.
  context.load(MUTEX_KIND);
  context.finishPending = () => core.finishPending(context);
  core.loadKind(context, MUTEX_KIND);
  ctx.assert(
    ctx.words.load32(MUTEX + OFFICE) !== 1,
    'an agent loaded the kind, and the mutex is still owned by a dead agent',
  );
};

/** Like `onlyOpen`, but without `loadKind`. A table of names opens its mutex in this way. */
const onlyMake: MutexBody = (actor) => {
  const { core, ctx, context } = actor;
  if (!isLeft(actor)) return;
  context.finishPending = () => core.finishPending(context);
  context.load(MUTEX_KIND);
  ctx.assert(
    ctx.words.load32(MUTEX + OFFICE) !== 1,
    'an agent loaded the kind, and the mutex is still owned by a dead agent',
  );
};

/** Sees the count twice without the kind. It must not tell the other agents again. */
const lookFor =
  (agent: number) =>
  (actor: MutexActor): void => {
    const { core, ctx, context } = actor;
    if (!isLeft(actor, agent)) return;
    core.finishPending(context);
    ctx.assert(ctx.words.load32(HEADER_PENDING) === 1, 'an agent without the kind took the record, and counted again');
  };

/**
 * Recovers agent `reclaimer`, which may have died while it recovered agent `dead`. Then recovers `dead`, unless it is
 * recovered.
 */
const reclaimAfter =
  (reclaimer: number, dead: number): MutexBody =>
  (actor) => {
    reclaim(reclaimer)(actor);
    const { ctx } = actor;
    if (!ctx.dead(dead)) return;
    // Do not recover twice: that would tell the waiters again, whether or not the first recovery did.
    const begun =
      ctx.words.load32(agentAt(dead) + AGENT_STATE) !== AGENT_ALIVE ||
      ctx.words.load32(agentAt(dead) + AGENT_RECLAIMER) > 0;
    if (!begun) reclaim(dead)(actor);
  };

/** Loads the kind only now, like an agent that opens a mutex. */
const openAndChange: MutexBody = (actor) => {
  const { core, context } = actor;
  context.finishPending = () => core.finishPending(context);
  core.loadKind(context, MUTEX_KIND);
  const { mutex } = actor;
  changeBoth(actor, mutex, () => {
    mutex.lock();
    return true;
  });
};

const lookWithout = lookFor(0);
const lookAtWaiter = lookFor(1);

/** A second primitive lies in a block behind the mutex. */
const SECOND = semaphoreAddress(1);

interface Second {
  readonly kind: number;
  readonly flags: number;
  readonly lay: (words: Words) => void;
  readonly check: (words: Words) => string | undefined;
}

class TwoBlocks extends OfficeWorld<MutexActor> {
  readonly #second: Second;

  constructor(core: MutexCore, made: Office, setup: MutexSetup, second: Second) {
    super(core, made, setup, (user) => actorOf(core, user, setup.without ?? []));
    this.#second = second;
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { kind, flags, lay } = this.#second;
    words.put32(HEADER_TOP, SECOND + BLOCK_LINE);
    layBlocks(words, [
      [MUTEX, BLOCK_LINE, this.office.kind],
      [SECOND, BLOCK_LINE, kind],
    ]);
    words.put32(SECOND + BLOCK_TAG, tagOf(1));
    words.put32(SECOND + FLAGS, flags);
    lay(words);
  }

  override checkRest(words: Words): string | undefined {
    return super.checkRest(words) ?? this.#second.check(words);
  }
}

/** Agent 2 uses the mutex of the second block, the other agents that of the first. */
function actorOf(core: MutexCore, user: ShadowUser, without: readonly number[]): MutexActor {
  const { ctx, ref, policy } = user;
  const at = (): MutexActor['mutex'] =>
    ctx.index === 2
      ? core.recursiveMutexAt({ ...ref, address: SECOND, tag: tagOf(1) }, policy)
      : core.mutexAt(ref, policy);
  return { ...user, mutex: without.includes(ctx.index) ? (undefined as never) : at(), eager: at };
}

/** The rules of the first mutex. Other calls of the steps concern the second. */
const FIRST: Rules = {
  gains: (step, args, words) => RULES.gains(step, args, words) && isFirst(step, args, words),
  loses: (step, args, words) => RULES.loses(step, args, words) && args[0] === MUTEX,
  releasesForDeadOwner: (step, args, words) => RULES.releasesForDeadOwner(step, args, words) && args[1] === MUTEX,
};

function isFirst(step: string, [first = 0, second = 0]: readonly number[], words: Words): boolean {
  if (step === 'pollMutex') return words.get32(first + LINE) === MUTEX;
  return step === 'cancelMutexWait' ? words.get32(second + LINE) === MUTEX : first === MUTEX;
}

/**
 * A mutex of another kind, which agent 0 owns, too. Agent 2 has loaded only that kind, agent 1 only the other one.
 */
function twoKinds(core: MutexCore, setup: MutexSetup): TwoBlocks {
  const first = office(core.MUTEX);
  const made: Office = {
    ...first,
    rules: FIRST,
    load: (context) => {
      const steps = context.id === 3 ? undefined : context.load(core.MUTEX).steps;
      return context.id === 3 || context.id === OUTSIDER
        ? context.load(core.RECURSIVE_MUTEX).steps
        : (steps ?? context.semaphoreLine);
    },
  };
  return new TwoBlocks(core, made, setup, {
    kind: core.RECURSIVE_MUTEX.code,
    flags: (1 << OWNERS_AT) | FLAG_OWNED,
    lay: (words) => core.referenceKernel(words).relockMutex(SECOND, tagOf(1), 1),
    check: (words) => {
      const word = words.load64(SECOND + OFFICE);
      if (word !== 0n && word !== 1n && (word !== NOTICE || words.load32(SECOND + HEALTH) !== ORPHANED))
        return `the second office ends with ${word}`;
      return words.load64(SECOND + GRANT) === words.load64(SECOND + TICKET)
        ? undefined
        : 'the second bouncer ends with a permit';
    },
  });
}

/** A semaphore of the core, whose only permit agent 0 holds. */
function withSemaphore(core: MutexCore, setup: MutexSetup): TwoBlocks {
  return new TwoBlocks(core, office(core.MUTEX), setup, {
    kind: KIND_SEMAPHORE,
    flags: FLAG_RECOVERY,
    lay: (words) => {
      words.put64(SECOND + CAPACITY, 1n);
      words.put32(entryAt(0, 1) + ENTRY_LINE, SECOND);
      words.put32(entryAt(0, 1) + ENTRY_TAG, tagOf(1));
      words.put64(entryAt(0, 1) + ENTRY_HELD, 1n);
    },
    check: () => undefined,
  });
}

/** Recovers agent 0. Checks that the recovery restores the permit of the semaphore at once, and exactly once. */
const reclaimHolder: MutexBody = (actor) => {
  const { core, ctx, context } = actor;
  if (!ctx.waitForDeath(0) || ctx.words.load32(agentAt(0) + OWNER) !== 1) return;
  const report = core.recover(context, agentAt(0), 1, true);
  ctx.assert(context.kernel.balance(SECOND) === 1, 'the permit of the semaphore is not free');
  ctx.assert(typeof report !== 'string' && report.permits.length === 1, 'the permit is not in the report');
};

/** Locks and unlocks the second mutex; repairs it if its owner died. */
const passSecond: MutexBody = ({ core, mutex }) => {
  try {
    mutex.lock();
    mutex.unlock();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    const { guard } = error as { guard?: { markConsistent: () => void; release: () => void } };
    guard?.markConsistent();
    guard?.release();
  }
};

function owned(words: Words, kernel: Kernel): void {
  (kernel as MutexKernel).lockMutex(MUTEX, TAG, 1);
  words.put32(holdsAt(0), HOLDS);
}

type MakeWorld = (core: MutexCore, setup: MutexSetup) => OfficeWorld<MutexActor>;

export function mutexPendingCases(core: MutexCore): Case[] {
  const make = (
    name: string,
    bodies: readonly MutexBody[],
    options: Options,
    more: Partial<MutexSetup & Plan<MutexActor>> = {},
    world: MakeWorld = mutexWorld,
  ): Case => {
    const { without = [bodies.length - 1], ...plan } = more;
    const setup = { agents: bodies.length, ...plan, without };
    return world(core, setup).case({
      name,
      bodies,
      options,
      mayCrash: [0],
      final: checkNotice,
      before: owned,
      ...plan,
    });
  };
  const both = (reclaimer: number): Partial<Plan<MutexActor>> => ({ mayCrash: [0, reclaimer], deaths: 2 });
  return [
    make('a recovery is left to a waiter', [changeAsOwner, change, reclaim(0)], ALL),
    make('a recovery is left to a waiter that may time out', [changeAsOwner, tryChange, reclaim(0)], ALL),
    make('a recovery is left to a waiter that may abort', [changeAsOwner, passOrAbort, reclaim(0)], ALL),
    make('a recovery is left to an agent that tries', [changeAsOwner, glanceAndChange, reclaim(0)], ALL),
    make('a recovery is left to an agent that loads the kind later', [changeAsOwner, openAndChange, reclaim(0)], ALL, {
      without: [1, 2],
    }),
    make('a recovery is left to an agent that tries once', [changeAsOwner, tryOnce, reclaim(0)], ALL),
    make('a recovery is left to an agent that only opens', [changeAsOwner, onlyOpen, reclaim(0)], ALL, {
      without: [1, 2],
    }),
    make('a recovery is left to an agent that only makes an instance', [changeAsOwner, onlyMake, reclaim(0)], ALL, {
      without: [1, 2],
    }),
    make('a recovery is seen by an agent without the kind', [changeAsOwner, lookWithout, reclaim(0)], ALL, {
      without: [1, 2],
    }),
    make('a recovery is left to two waiters', [changeAsOwner, change, change, reclaim(0)], ONE_PREEMPTION),
    make(
      'a recovery is left to two waiters, one may time out',
      [changeAsOwner, tryChange, change, reclaim(0)],
      ONE_PREEMPTION,
    ),
    make('a recovery of a dead waiter is left', [changeAsOwner, wait, change, reclaim(1)], ONE_PREEMPTION, {
      before: ownedWith(1),
      mayCrash: [1],
    }),
    make(
      'a recovery of a dead waiter is left, and seen by an agent without the kind',
      [changeAsOwner, wait, lookAtWaiter, reclaim(1)],
      ONE_PREEMPTION,
      {
        before: ownedWith(1),
        mayCrash: [1],
        without: [2, 3],
      },
    ),
    make('the reclaimer may die', [changeAsOwner, change, reclaim(0), reclaimAfter(2, 0)], ONE_PREEMPTION, {
      ...both(2),
      without: [2, 3],
    }),
    make(
      'the reclaimer may die, and an agent with the kind recovers it',
      [changeAsOwner, change, reclaim(0), reclaimAfter(2, 0)],
      ONE_PREEMPTION,
      {
        ...both(2),
        without: [2],
      },
    ),
    make('a finisher dies', [changeAsOwner, change, change, reclaim(0, 1)], NO_PREEMPTION, both(1)),
    make(
      'an agent that finishes a recovery may die, with one more reclaimer',
      [changeAsOwner, change, change, reclaim(0), reclaim(1)],
      NO_PREEMPTION,
      { ...both(1), without: [3, 4] },
    ),
    make(
      'a dead agent held a permit beside the mutex',
      [changeAsOwner, change, reclaimHolder],
      TWO_PREEMPTIONS,
      {},
      withSemaphore,
    ),
    make(
      'two kinds',
      [changeAsOwner, change, passSecond, reclaim(0)],
      ONE_PREEMPTION,
      { stuck: behindTheLiving },
      twoKinds,
    ),
  ];
}

/** Agent 0 keeps the second mutex unless it dies. */
function behindTheLiving(words: Words, outcomes: readonly unknown[]): string | undefined {
  return outcomes[0] === undefined && words.load64(SECOND + OFFICE) !== 0n ? undefined : 'an agent waits forever';
}

export const MODELS: readonly Model[] = [
  {
    name: 'mutex pending',
    entry: new URL('entry.ts', import.meta.url),
    cases: mutexPendingCases,
    mutants: PENDING_MUTANTS,
  },
];

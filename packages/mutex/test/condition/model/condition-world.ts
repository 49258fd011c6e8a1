// A condition in a world, in the same block as its lock. The lock's lines come first.

import type { Context, Words } from '@sluice/model';
import type { EntryAddress } from '../../../../core/src/kernel/addresses.ts';
import { asElement } from '../../../../core/src/kernel/addresses.ts';
import type { Kernel } from '../../../../core/src/kernel/kernel.ts';
import {
  BLOCK_TAG,
  FLAG_COUNTS_WAITS,
  FLAG_OWNED,
  FLAG_RECOVERY,
  FLAG_SHARED,
  FLAG_TURNS,
  GATE,
  OFFICE,
  OWNERS_AT,
} from '../../../../core/src/kernel/layout.ts';
import { PROMISED, RACED, TAKEN } from '../../../../core/src/kernel/states.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../../core/test/model/office-world.ts';
import {
  agentAt,
  entryAt,
  holdsAt,
  insideAt,
  semaphoreAddress,
  tagOf,
  TREASURE,
} from '../../../../core/test/model/places.ts';
import type { Case } from '../../../../core/test/model/case.ts';
import type { Rules } from '../../../../core/test/model/witness.ts';
import { LOCK, LOCK_TAG } from '../../../src/condition/kernel/layout.ts';
import type { MutexKernel } from '../../../src/kinds.ts';
import type { RwKernel } from '../../../../rw-lock/src/kinds.ts';
import type { ConditionKernel } from '../../../src/condition/kinds.ts';
import type * as Entry from './entry.ts';

export type ConditionCore = typeof Entry;
/** A mutex with one of its orders, or the writer of a read-write lock with the order 'fifo'. */
export type Sort = 'fifo' | 'turns' | 'writer';
export type ConditionSetup = OfficeSetup & { readonly lock?: Sort };
export interface ConditionActor extends ShadowUser {
  readonly lock: Entry.ConditionLock;
  readonly condition: Entry.Condition;
  readonly wait: Entry.ConditionWait;
  readonly entry: EntryAddress;
}
export type ConditionBody = (actor: ConditionActor) => unknown;

export const TAG = tagOf(0);
/** The words that the lock protects. */
export const ITEMS = TREASURE;
/** Whether an agent's wait ended with a notification, even if it died right afterwards. */
export const endedAt = holdsAt;

const lineOf = (sort: Sort): number => (sort === 'writer' ? 2 : 1);
export const conditionAt = (sort: Sort): ReturnType<typeof semaphoreAddress> => semaphoreAddress(lineOf(sort));

const RULES: Rules = { gains: () => false, loses: () => false, releasesForDeadOwner: () => false };

const officeOf = ({ CONDITION, MUTEX, RW_LOCK, WRITERS }: ConditionCore, sort: Sort): Office => ({
  kind: sort === 'writer' ? RW_LOCK.code : MUTEX.code,
  lineKinds: sort === 'writer' ? [WRITERS.code, CONDITION.code] : [CONDITION.code],
  flags:
    sort === 'writer'
      ? [FLAG_SHARED | FLAG_OWNED | FLAG_RECOVERY, FLAG_OWNED | FLAG_RECOVERY, FLAG_COUNTS_WAITS]
      : [(1 << OWNERS_AT) | FLAG_OWNED | (sort === 'turns' ? FLAG_TURNS : 0), FLAG_COUNTS_WAITS],
  load: (context) => {
    if (sort === 'writer') context.load(RW_LOCK);
    else context.load(MUTEX);
    return context.load(CONDITION).steps;
  },
  rules: RULES,
  invariant: (words, agents) => {
    const waiters = words.get32(conditionAt(sort) + OFFICE);
    if (waiters < 0 || waiters > agents) return `${waiters} waiters are counted`;
    const inside = [...Array(agents).keys()].filter((agent) => words.get32(insideAt(agent)) !== 0);
    return inside.length > 1 ? 'two agents own the lock' : undefined;
  },
  // A notice of a dead owner that no agent has received yet.
  mayEndWith: () => true,
});

class ConditionWorld extends OfficeWorld<ConditionActor> {
  readonly #sort: Sort;

  constructor(core: ConditionCore, { lock = 'fifo', ...setup }: ConditionSetup) {
    super(core, officeOf(core, lock), setup, (plain) => actorOf(core, lock, plain));
    this.#sort = lock;
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const condition = conditionAt(this.#sort);
    words.put32(condition + LOCK, semaphoreAddress(0));
    words.put32(condition + LOCK_TAG, TAG);
  }

  /** The line of a freed lock is left as it is. */
  override checkRest(words: Words): string | undefined {
    return words.load32(semaphoreAddress(0) + BLOCK_TAG) === TAG ? super.checkRest(words) : undefined;
  }

  protected override kernel(ctx: Context): Kernel {
    return patient(super.kernel(ctx) as ConditionKernel & MutexKernel & RwKernel, ctx);
  }

  override case({ final, stuck, ...plan }: Plan<ConditionActor>): Case {
    const ends = (words: Words, outcomes: readonly unknown[]): string | undefined => {
      const waiters = words.load32(conditionAt(this.#sort) + OFFICE);
      return waiters === 0 ? final?.(words, outcomes) : `${waiters} waiters are counted at the end`;
    };
    return super.case({ ...plan, final: ends, ...(stuck === undefined ? {} : { stuck }) });
  }
}

interface Turned {
  readonly turn?: { readonly summary: readonly number[] };
}

function actorOf(core: ConditionCore, sort: Sort, plain: ShadowUser): ConditionActor {
  const { ctx: bare, ref, policy, context } = plain;
  const lock = sort === 'writer' ? core.rwLockAt(ref, policy).writer : core.mutexAt(ref, policy);
  const there = { ...ref, address: conditionAt(sort) };
  const condition = core.conditionAt(there, policy, lock);
  noteEnds(context.kernel as ConditionKernel, bare);
  const lineState = context.lineState(there.address, there.tag, { recorded: true, line: plain.line });
  const wait = new core.ConditionWait(there, lineState, policy, lock, undefined as never);
  // Private fields of the locks: what a lock remembers of its turns is part of the agent's state.
  const { turn, way } = lock as unknown as Turned & { readonly way?: Turned };
  const summary = (): readonly number[] => (turn ?? way?.turn)?.summary ?? [];
  const ctx = Object.create(bare, {
    forget: { value: (...values: number[]) => bare.forget(...values, ...summary()) },
  }) as Context;
  return { ...plain, ctx, lock, condition, wait, entry: lineState.entry };
}

/** The caller polls while the notifier has promised to move its element. */
function patient<Steps extends ConditionKernel & MutexKernel & RwKernel>(kernel: Steps, ctx: Context): Steps {
  const waitForNotifier = <Result extends number>(result: Result, element: number): Result => {
    if ((result === RACED || result === PROMISED) && ctx.words.get32(element + GATE) === PROMISED) ctx.pause();
    return result;
  };
  const park: Steps['park'] = (element, agent) => waitForNotifier(kernel.park(element, agent), element);
  const parkMutex: Steps['parkMutex'] = (element) => waitForNotifier(kernel.parkMutex(element), element);
  const parkWriter: Steps['parkWriter'] = (element) => waitForNotifier(kernel.parkWriter(element), element);
  const cancelConditionWait: Steps['cancelConditionWait'] = (...args) =>
    waitForNotifier(kernel.cancelConditionWait(...args), args[1]);
  return { ...kernel, park, parkMutex, parkWriter, cancelConditionWait };
}

const noting = new WeakSet<ConditionKernel>();

/** Records the end of a wait within the step that ends it. */
function noteEnds(kernel: ConditionKernel, { words, index }: Context): void {
  if (noting.has(kernel)) return;
  noting.add(kernel);
  const { endConditionWait, wakeAtCondition } = kernel;
  const note = (): void => words.put32(endedAt(index), words.get32(endedAt(index)) + 1);
  Object.assign(kernel, {
    endConditionWait: (entry) => {
      endConditionWait(entry);
      note();
    },
    wakeAtCondition: (...args) => {
      const outcome = wakeAtCondition(...args);
      if (outcome === TAKEN) note();
      return outcome;
    },
  } satisfies Partial<ConditionKernel>);
}

export function conditionWorld(core: ConditionCore, setup: ConditionSetup): OfficeWorld<ConditionActor> {
  return new ConditionWorld(core, setup);
}

/** Lets the agents from `first` to `last` wait for the condition, asleep. */
export const asleep =
  (sort: Sort, first: number, last: number) =>
  (words: Words, kernel: Kernel): void => {
    const { enqueueAtCondition } = kernel as ConditionKernel;
    for (let agent = first; agent <= last; agent++) {
      const element = enqueueAtCondition(conditionAt(sort), TAG, agentAt(agent), entryAt(agent, lineOf(sort)));
      putToSleep(words, kernel, agent, asElement(element));
    }
  };

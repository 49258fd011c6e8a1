// Bodies of agents in models of death.

import { GATE, HEADER_PENDING, HEALTH, OWNER } from '../../src/kernel/layout.ts';
import { agentAt, elementAt, entryAt, semaphoreAddress, TREASURE } from './places.ts';
import type { Entrance } from '../../src/locks/entrance.ts';
import type { Actor, Body } from './world.ts';

/** Recovers the agents with these indices, one after the other, after they have died. */
export const reclaim =
  (...victims: readonly number[]): Body =>
  (actor) => {
    for (const victim of victims) if (actor.ctx.waitForDeath(victim)) recoverOnce(actor, victim);
  };

/**
 * Recovers an agent unless another agent has already recovered it, alone or together with its dead reclaimer. Returns
 * without effect at `busy`: a living agent is recovering the victim.
 */
export function recoverOnce({ core, ctx, context }: Actor, victim: number): void {
  const record = agentAt(victim);
  if (ctx.words.load32(record + OWNER) === victim + 1) core.recover(context, record, victim + 1, true);
}

/** If another agent died with a permit, releases that permit and then recovers the agent. */
export const giveForTheDead =
  (victim: number): Body =>
  (actor) => {
    const { ctx, sem } = actor;
    const died = ctx.waitForDeath(victim);
    if (ctx.words.get64(entryAt(victim, 0)) > 0n) sem.release();
    if (died) recoverOnce(actor, victim);
  };

/**
 * Tells agent 0 of a recovery that was left to it (recovery/pending.ts), and releases a permit when that agent has
 * finished the recovery.
 */
export const leaveToWaiter =
  (victim: number): Body =>
  ({ ctx, context: { agent, kernel, words, parking }, sem }) => {
    words.add32(HEADER_PENDING, 1);
    if (kernel.rewake(agent, elementAt(0)) !== 0) parking.notify(elementAt(0) + GATE);
    ctx.until(() => ctx.words.load32(agentAt(victim) + OWNER) === 0);
    sem.release();
  };

/** Acquires a permit and keeps it. The agent may die with it. */
export const takeAndHold: Body = ({ ctx, sem }) => {
  sem.acquire();
  ctx.step('while it holds the permit');
};

/**
 * Takes the lock and changes both words that it protects. The agent may die between the two writes. The words agree
 * unless there is a notice.
 */
export const changeBoth: Body = (actor) => {
  const { ctx, core } = actor;
  const lock = ownedLock(actor);
  try {
    lock.lock();
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    const { guard } = error as { guard?: { markConsistent(): void; release(): void } };
    ctx.assert(guard !== undefined, 'the heir has no guard');
    ctx.words.put32(TREASURE + 4, ctx.words.get32(TREASURE));
    guard?.markConsistent();
    guard?.release();
    return;
  }
  const [first, second] = [ctx.words.get32(TREASURE), ctx.words.get32(TREASURE + 4)];
  ctx.assert(first === second, `the words are ${first} and ${second}, and no lock reported a death`);
  ctx.words.put32(TREASURE, first + 1);
  ctx.step('between the two words');
  ctx.words.put32(TREASURE + 4, second + 1);
  lock.unlock();
};

function ownedLock({ core, ctx, context, sem, entry }: Actor) {
  const fail = (): never => {
    throw new Error('The lock has an owner that it should not have.');
  };
  const entrance: Entrance = {
    health: new core.LockHealth(ctx.words, semaphoreAddress(0)),
    errors: { toString: () => 'lock', notOwner: fail, ownedAlready: fail },
    isOwner: () => context.words.get64(entry) > 0n,
    enter: () => sem.acquire(),
    tryEnter: (timeoutMs) => sem.tryAcquire(1, timeoutMs),
    enterAsync: () => sem.acquireAsync(),
    exit: () => sem.release(),
  };
  class ModelLock extends core.OwnedLock {
    constructor() {
      super(entrance);
    }
  }
  return new ModelLock();
}

export const healthWord = (): number => semaphoreAddress(0) + HEALTH;

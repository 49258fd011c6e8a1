// Bodies of agents at any box office.

import { OWNER } from '../../src/kernel/layout.ts';
import { ADMITTED_DETACHED, CANCELLED_LEFT_BEHIND, RACED, TAKEN, type Verdict } from '../../src/kernel/states.ts';
import type { ShadowUser } from './office-world.ts';
import { agentAt, elementAt, insideAt, PULSE } from './places.ts';
import type { ElementAddress, EntryAddress } from '../../src/kernel/addresses.ts';

/**
 * Stays inside for a moment in which the other agents may run. The invariant counts `weight`. `summary` is the state
 * that the body keeps.
 */
export function visit({ ctx }: ShadowUser, weight = 1, ...summary: number[]): void {
  const { words } = ctx;
  // From here on, the way in which the agent got in makes no difference.
  ctx.forget(...summary);
  words.put32(insideAt(ctx.index), weight);
  ctx.step('inside');
  words.load32(PULSE);
  words.put32(insideAt(ctx.index), 0);
}

/** Ends a wait with any verdict. Returns whether the agent was admitted. */
export function endWait({ context }: ShadowUser, element: ElementAddress, verdict: Verdict): boolean {
  if (verdict !== CANCELLED_LEFT_BEHIND && verdict !== ADMITTED_DETACHED) context.keep(element);
  return verdict === TAKEN || verdict === ADMITTED_DETACHED;
}

/**
 * Continues to sleep in the place in line that the agent has from the start, or may time out. Returns whether the agent
 * was admitted.
 */
export function sleepOn(shadowUser: ShadowUser, entry: EntryAddress, timed = false): boolean {
  const element = elementAt(shadowUser.ctx.index);
  return endWait(
    shadowUser,
    element,
    shadowUser.core.sleepInLine(
      shadowUser.context,
      { line: shadowUser.line, entry, timedChecks: shadowUser.timedChecks },
      element,
      shadowUser.policy,
      timed ? 0 : Infinity,
    ),
  );
}

/** Gives up at once. Returns whether the agent was admitted nevertheless. */
export function giveUp(shadowUser: ShadowUser, entry: EntryAddress): boolean {
  const element = elementAt(shadowUser.ctx.index);
  return endWait(
    shadowUser,
    element,
    shadowUser.core.leaveLine(shadowUser.context, { line: shadowUser.line, entry }, element),
  );
}

/**
 * An async wait as the event loop drives it. `enqueueAtMutex` visits the box office. Then either the wake-up of the
 * gate or an abort comes first. The abort may come at any moment: before the waiter links, or between its verdict and
 * the moment when it reads it. Returns whether the agent was admitted.
 */
export function enterOrAbort(shadowUser: ShadowUser, enqueueAtMutex: () => number, entry: EntryAddress): boolean {
  const { core, ctx, context, policy, line, timedChecks } = shadowUser;
  const element = drawTicket(shadowUser, enqueueAtMutex);
  if (element === TAKEN) return true;
  const abort = ctx.choose(3, 'abort before linking, after linking, or never');
  if (abort > 0) core.enterChain(context, element);
  const verdict =
    abort < 2
      ? core.leaveLine(context, { line, entry }, element)
      : core.sleepInLine(context, { line, entry, timedChecks }, element, policy, Infinity);
  return endWait(shadowUser, element, verdict);
}

/** Calls `enqueueAtMutex` until it need not be called again. Returns its result. */
export function drawTicket({ context }: ShadowUser, enqueueAtMutex: () => number): typeof TAKEN | ElementAddress {
  context.refill();
  let drawn: number;
  do drawn = enqueueAtMutex();
  while (drawn === RACED);
  return drawn as typeof TAKEN | ElementAddress;
}

/** Recovers the agents with these indices, one after the other, after they have died. */
export const reclaim =
  (...victims: readonly number[]) =>
  ({ core, ctx, context }: ShadowUser): void => {
    for (const victim of victims) {
      const record = agentAt(victim);
      if (ctx.waitForDeath(victim) && ctx.words.load32(record + OWNER) === victim + 1)
        core.recover(context, record, victim + 1, true);
    }
  };

// What agents do before any box office.

import { OWNER } from '../../src/kernel/layout.ts';
import { ADMITTED_DETACHED, CANCELLED_LEFT_BEHIND, RACED, TAKEN, type Verdict } from '../../src/kernel/states.ts';
import type { ShadowUser } from './office-world.ts';
import { agentAt, elementAt, insideAt, PULSE } from './places.ts';
import type { ElementAddress, EntryAddress } from '../../src/kernel/addresses.ts';

/**
 * Inside for a moment, in which all others may do what they can. `weight`: what the invariant counts. `summary`: what
 * the body remembers nevertheless.
 */
export function visit({ ctx }: ShadowUser, weight = 1, ...summary: number[]): void {
  const { words } = ctx;
  // How it came in makes no difference from here on.
  ctx.forget(...summary);
  words.put32(insideAt(ctx.index), weight);
  ctx.step('inside');
  words.load32(PULSE);
  words.put32(insideAt(ctx.index), 0);
}

/** The end of a wait, whatever the verdict. Whether it was let in. */
export function endWait({ context }: ShadowUser, element: ElementAddress, verdict: Verdict): boolean {
  if (verdict !== CANCELLED_LEFT_BEHIND && verdict !== ADMITTED_DETACHED) context.keep(element);
  return verdict === TAKEN || verdict === ADMITTED_DETACHED;
}

/** The element with which this agent stands in line from the start sleeps on, or may give up. Whether it was let in. */
export function sleepOn(shadowUser: ShadowUser, entry: EntryAddress, timed = false): boolean {
  const element = elementAt(shadowUser.ctx.index);
  return endWait(
    shadowUser,
    element,
    shadowUser.core.sleepInLine(
      shadowUser.context,
      { line: shadowUser.line, entry, patrol: shadowUser.patrol },
      element,
      shadowUser.policy,
      timed ? 0 : Infinity,
    ),
  );
}

/** It gives up at once. Whether it was let in nevertheless. */
export function giveUp(shadowUser: ShadowUser, entry: EntryAddress): boolean {
  const element = elementAt(shadowUser.ctx.index);
  return endWait(
    shadowUser,
    element,
    shadowUser.core.leaveLine(shadowUser.context, { line: shadowUser.line, entry }, element),
  );
}

/**
 * An async wait as the event loop drives it: `enqueueAtMutex` visits the box office; then either the gate's wake-up
 * comes first, or an abort does, at any moment: also between its verdict and the look at it, and before it ever linked.
 * Whether it was let in.
 */
export function enterOrAbort(shadowUser: ShadowUser, enqueueAtMutex: () => number, entry: EntryAddress): boolean {
  const { core, ctx, context, policy, line, patrol } = shadowUser;
  const element = drawTicket(shadowUser, enqueueAtMutex);
  if (element === TAKEN) return true;
  const abort = ctx.choose(3, 'abort before linking, after it, never');
  if (abort > 0) core.enterChain(context, element);
  const verdict =
    abort < 2
      ? core.leaveLine(context, { line, entry }, element)
      : core.sleepInLine(context, { line, entry, patrol }, element, policy, Infinity);
  return endWait(shadowUser, element, verdict);
}

/** What `enqueueAtMutex` answers when it need not be called again. */
export function drawTicket({ context }: ShadowUser, enqueueAtMutex: () => number): typeof TAKEN | ElementAddress {
  context.refill();
  let drawn: number;
  do drawn = enqueueAtMutex();
  while (drawn === RACED);
  return drawn as typeof TAKEN | ElementAddress;
}

/** Recovers the agents with these indices when they have died, one after the other. */
export const reclaim =
  (...victims: readonly number[]) =>
  ({ core, ctx, context }: ShadowUser): void => {
    for (const victim of victims) {
      const record = agentAt(victim);
      if (ctx.waitForDeath(victim) && ctx.words.load32(record + OWNER) === victim + 1)
        core.recover(context, record, victim + 1, true);
    }
  };

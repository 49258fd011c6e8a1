// What agents do before any box office.

import { OWNER } from '../../src/kernel/layout.ts';
import { CAUGHT, GONE, RACED, TAKEN } from '../../src/kernel/states.ts';
import type { Patron } from './office-world.ts';
import { agentAt, elementAt, insideAt, PULSE } from './places.ts';

/**
 * Inside for a moment, in which all others may do what they can. `weight`: what the invariant counts. `summary`: what the
 * body remembers nevertheless.
 */
export function visit({ ctx }: Patron, weight = 1, ...summary: number[]): void {
  const { words } = ctx;
  // How it came in makes no difference from here on.
  ctx.forget(...summary);
  words.put32(insideAt(ctx.index), weight);
  ctx.step('inside');
  words.load32(PULSE);
  words.put32(insideAt(ctx.index), 0);
}

/** The end of a wait, whatever the verdict. Whether it was let in. */
export function endWait({ seat }: Patron, element: number, verdict: number): boolean {
  if (verdict !== GONE && verdict !== CAUGHT) seat.keep(element);
  return verdict === TAKEN || verdict === CAUGHT;
}

/** The element with which this agent stands in line from the start sleeps on, or may give up. Whether it was let in. */
export function sleepOn(patron: Patron, entry: number, timed = false): boolean {
  const element = elementAt(patron.ctx.index);
  return endWait(patron, element, patron.core.sleepInLine(patron.seat, element, entry, patron.policy, timed ? 0 : Infinity));
}

/** It gives up at once. Whether it was let in nevertheless. */
export function giveUp(patron: Patron, entry: number): boolean {
  const element = elementAt(patron.ctx.index);
  return endWait(patron, element, patron.core.leaveLine(patron.seat, element, entry));
}

/**
 * An async wait as the event loop drives it: `enlist` visits the box office; then either the gate's wake-up comes first, or an
 * abort does, at any moment: also between its verdict and the look at it, and before it ever linked. Whether it was let in.
 */
export function enterOrAbort(patron: Patron, enlist: () => number, entry: number): boolean {
  const { core, ctx, seat, policy } = patron;
  const element = drawTicket(patron, enlist);
  if (element === TAKEN) return true;
  const abort = ctx.choose(3, 'abort before linking, after it, never');
  if (abort > 0) core.enterChain(seat, element);
  const verdict = abort < 2 ? core.leaveLine(seat, element, entry) : core.sleepInLine(seat, element, entry, policy, Infinity);
  return endWait(patron, element, verdict);
}

/** What `enlist` answers when it need not be called again. */
export function drawTicket({ seat }: Patron, enlist: () => number): number {
  seat.refill();
  let drawn: number;
  do drawn = enlist();
  while (drawn === RACED);
  return drawn;
}

/** Recovers the agents with these indices when they have died, one after the other. */
export const reclaim =
  (...victims: readonly number[]) =>
  ({ core, ctx, seat }: Patron): void => {
    for (const victim of victims) {
      const record = agentAt(victim);
      if (ctx.waitForDeath(victim) && ctx.words.load32(record + OWNER) === victim + 1)
        core.recover(seat, record, victim + 1, true);
    }
  };

// What agents do before any box office.

import type { OwnedLock } from '../../src/owned-lock.ts';
import { OWNER } from '../../src/kernel/layout.ts';
import { CAUGHT, GONE, RACED, TAKEN } from '../../src/kernel/states.ts';
import type { Patron } from './office-world.ts';
import { agentAt, elementAt, holdsAt, insideAt, PULSE, TREASURE } from './places.ts';
import { DIED_HOLDING } from './witness.ts';

/** Inside for a moment, in which all others may do what they can. `weight`: what the invariant counts. */
export function visit({ ctx }: Patron, weight = 1): void {
  const { words } = ctx;
  // How it came in makes no difference from here on.
  ctx.forget();
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
      if (ctx.waitForDeath(victim) && ctx.words.load32(record + OWNER) === victim + 1) core.recover(seat, record, victim + 1, true);
    }
  };

interface Heirloom {
  markConsistent(): void;
  release(): void;
}

/**
 * Changes both words that an owned lock protects; may die in between. The words agree unless there is notice, and there is
 * notice when, and only when, an owner died that knew that it was one. `enter`: whether it was let in.
 */
export function changeBoth(patron: Patron, lock: Pick<OwnedLock, 'unlock'>, enter: () => boolean): void {
  const { ctx, core } = patron;
  const { words } = ctx;
  try {
    if (!enter()) return;
  } catch (error) {
    if (!core.hasCode(error, 'SLUICE_OWNER_DIED')) throw error;
    inherit(patron, (error as { guard?: Heirloom }).guard);
    return;
  }
  ctx.assert(!mourned(patron), 'an owner died, and the next one was not told');
  const [first, second] = [words.get32(TREASURE), words.get32(TREASURE + 4)];
  ctx.assert(first === second, `the words are ${first} and ${second}, and nobody said why`);
  words.put32(TREASURE, first + 1);
  visit(patron);
  words.put32(TREASURE + 4, words.get32(TREASURE));
  lock.unlock();
}

function inherit(patron: Patron, guard: Heirloom | undefined): void {
  const { ctx } = patron;
  ctx.assert(guard !== undefined, 'the heir has no guard');
  ctx.assert(mourned(patron), 'there is notice, but nobody died that knew that it was the owner');
  for (const at of fates()) if (ctx.words.get32(at) === DIED_HOLDING) ctx.words.put32(at, 0);
  ctx.words.put32(TREASURE + 4, ctx.words.get32(TREASURE));
  visit(patron);
  guard?.markConsistent();
  guard?.release();
}

const fates = (): number[] => [0, 1, 2, 3].map((agent) => holdsAt(agent));
const mourned = ({ ctx }: Patron): boolean => fates().some((at) => ctx.words.get32(at) === DIED_HOLDING);

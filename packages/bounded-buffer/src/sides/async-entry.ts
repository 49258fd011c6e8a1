// The async calls of an agent at one side of a buffer: they enter the side without blocking, and keep their order.
//
// Each call draws its ticket when it is made, before any other code can run. It takes the lock after the earlier calls
// of the agent have (`SideCalls`).

import type { WaitOptions } from '@sluice/core';
import { checkWait, reserveStack, throwIfAborted } from '@sluice/core/calls';
import { SHUT, TAKEN, WAITING, type Poll } from '@sluice/core/format';
import { Attempts, deadlineIn, leftUntil, type AttemptOutcome } from '@sluice/core/internal';
import { endsBefore } from './ends-before.ts';
import { SHORT, STAYS_HEAD } from '../kernel/outcomes.ts';
import type { Side } from './side.ts';

/**
 * Enters a side without blocking. Calls `use` with the position. `use` must call `commit` in every case. If the agent
 * may enter now, the call returns the result of `use`, because a promise would cost more than all other steps.
 * Otherwise it returns a promise of that result.
 *
 * Fails with the errors of `Side.enter`, with `TimeoutError`, the signal's reason and the error that `use` throws.
 * `spends` is false if the caller itself spends from the budget.
 */
export function enterAsync<Used>(
  side: Side,
  count: number,
  options: WaitOptions,
  use: (position: number) => Used,
  spends = true,
): Used | Promise<Used> {
  reserveStack();
  const checked = checkWait(options);
  const seen = side.enterNow(count);
  if (seen < 0) return enterInLine(side, seen, count, checked, use);
  const used = use(seen);
  const later = spends ? side.budget.spend() : undefined;
  return later === undefined ? used : later.then(() => used);
}

/** Continues `enterAsync` after a first step that returned `seen`. */
async function enterInLine<Used>(
  side: Side,
  seen: number,
  count: number,
  checked: WaitOptions,
  use: (position: number) => Used,
): Promise<Used> {
  side.errors.checkThere();
  if (seen !== SHORT && seen !== SHUT) side.lock.refuseToNest();
  if (checked.timeout === 0) return enterWithoutWait(side, seen, count, use);
  let used: { readonly by: Used } | undefined;
  const note = (position: number): void => void (used = { by: use(position) });
  let found = side.leaveIfShort(seen);
  if (found === WAITING)
    found = await side.calls.inOrder((earlier) => enterAsHead(side, count, checked, note, earlier));
  if (used === undefined) side.errors.refuse(found);
  return (used as unknown as { readonly by: Used }).by;
}

/**
 * Continues a call with a timeout of 0, as `tryPush` and `tryPop` do: the lock may be held for a moment, or a cancelled
 * waiter may have left its permit in the line.
 */
async function enterWithoutWait<Used>(
  side: Side,
  seen: number,
  count: number,
  use: (position: number) => Used,
): Promise<Used> {
  const position = side.goOn(seen, count, 0);
  const used = position < 0 ? undefined : { by: use(position) };
  await side.budget.spend();
  if (used === undefined) throw side.errors.timedOut(0, 0);
  return used.by;
}

/** Draws a ticket before any other code can run, and takes the lock as the head of the line. */
async function enterAsHead(
  side: Side,
  count: number,
  { timeout = Infinity, ...others }: WaitOptions,
  use: (position: number) => void,
  earlier: Promise<void> | undefined,
): Promise<number> {
  const { context, errors, lines, lock } = side;
  const end = deadlineIn(context.parking, timeout);
  const left = (): number => leftUntil(context.parking, end);
  const rest = (): WaitOptions => ({ ...others, timeout: left() });
  let outcome: Poll = WAITING;
  let found = WAITING;
  /** Takes the units for the owner of the lock. */
  const redeem = (): void => {
    found = side.redeem(outcome === TAKEN ? 1 : 0, count);
    // Before `use`, which may throw: this call is no longer the head.
    attempts.isDone = found !== STAYS_HEAD;
    if (found >= 0) use(found);
  };
  const attempt = (): AttemptOutcome => {
    if (!lock.tryLock(0)) return 'blocked';
    redeem();
    return attempts.isDone ? 'done' : 'wait';
  };
  const waitForMore = (met: () => void): Promise<unknown> => {
    lines.wanted = count;
    return lines.more.waitAsync(rest(), met, timeout);
  };
  const attempts = new Attempts(attempt, waitForMore, errors);
  const granted = (): void => {
    outcome = TAKEN;
    // Otherwise earlier calls of this agent come first.
    if (earlier === undefined) attempts.make();
  };
  lines.wanted = count;
  try {
    outcome = await lines.headLine.waitAsync({ ...others, timeout }, granted, timeout);
    if (outcome === SHUT && side.isGone) return SHUT;
    if (earlier !== undefined && !(await endsBefore(earlier, others, left()))) throw errors.timedOut(timeout, 0);
    await attempts.finish(async () => {
      throwIfAborted(others.signal);
      found = WAITING;
      await lock.lockAsync(rest(), redeem, timeout);
      // The buffer was freed. It was closed before.
      if (found === WAITING && side.isGone) found = SHUT;
      return found === STAYS_HEAD ? 'wait' : 'done';
    });
    return found;
  } catch (failure) {
    if (!attempts.isDone) lines.giveBack(outcome);
    throw failure;
  }
}

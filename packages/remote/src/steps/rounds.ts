// The waits of a countdown latch and of a barrier. They wait for the end of a round. One step ends all waits of a
// round.
//
//   message                      meaning                                             sent by
//   'e round sequence:code ...'  these waits have ended with that round              finish, begin
//
// A code is one of `ENDING` (remote: engine/protocol.ts). The code 0 does not end a wait: its call has to run the
// action.
//
// 1. A wait is in the line, or has ended with a record, or is unknown. So a step whose reply was lost finds the state
//    of its wait.
// 2. All waits of a round end in the same way: the round tripped, and one wait is the leader, or the round was broken
//    for one reason.
// 3. While a barrier is neither broken nor acting, fewer parties have arrived than it has, or it has none. A broken
//    barrier has no waiter.
// 4. Waiters behind the first `acting` of a barrier that acts belong to the next round.
// 5. If a session has seen more rounds end than the server knows of, the server has lost steps. Then the barrier
//    breaks, because its parties may be in different rounds.

import { ENDING, MESSAGE } from '../engine/protocol.ts';
import { idOf, sessionOf, type RoundState } from './state.ts';
import type { Step } from './step.ts';

const MAX_COUNT = 2 ** 31 - 1;
const MAX_PARTIES = 32_767;

/** Ends the round, and with it the first `n` waits: the first of them with the code `first`, the others with `rest`. */
export function finish(step: Step, p: RoundState, n: number, first: number, rest: number): void {
  const told = new Map<string, string>();
  for (const [i, { session, seq }] of p.waiters.slice(0, n).entries()) {
    const code = i === 0 ? first : rest;
    p.ended.set(idOf(session, seq), { code, round: p.round });
    told.set(session, `${told.get(session) ?? `${MESSAGE.ended} ${p.round}`} ${seq}:${code}`);
  }
  p.waiters = p.waiters.slice(n);
  p.round++;
  p.acting = 0;
  p.actor = undefined;
  for (const [session, message] of told) step.send(session, message);
}

/** All parties have arrived, and this call has to run its action. */
function begin(step: Step, p: RoundState, session: string, seq: number): void {
  p.acting = p.size;
  p.actor = idOf(session, seq);
  step.send(session, `${MESSAGE.ended} ${p.round} ${seq}:${ENDING.acts}`);
}

function isComplete(p: RoundState): boolean {
  return p.broken === undefined && p.acting === 0 && p.size > 0 && p.waiters.length >= p.size;
}

/** Trips for as long as all parties have arrived. The last of them runs its action first, if it has one. */
export function complete(step: Step, p: RoundState): void {
  while (isComplete(p)) {
    const last = p.waiters[p.size - 1];
    if (last?.n === 1) return begin(step, p, last.session, last.seq);
    finish(step, p, p.size, ENDING.leads, ENDING.tripped);
  }
}

/** Breaks the barrier for all waiters. Those for the next round arrive at a broken barrier. */
export function shatter(step: Step, p: RoundState, code: number): void {
  p.broken = code;
  finish(step, p, p.waiters.length, code, code);
}

export function recall(step: Step, p: RoundState, seen: number): void {
  if (seen <= p.round) return;
  p.round = seen;
  if (p.isBarrier && p.broken === undefined) shatter(step, p, ENDING.lost);
}

/** What has become of a wait that was sent before. */
export function known(p: RoundState, session: string, seq: number, acts: number): string[] | undefined {
  const own = idOf(session, seq);
  const end = p.ended.get(own);
  if (end !== undefined) return ['ended', String(end.code), String(end.round)];
  if (p.actor === own) return ['ended', String(ENDING.acts), String(p.round)];
  const waits = p.waiters.some((each) => each.session === session && each.seq === seq && each.n === acts);
  return waits ? ['waiting', String(p.round)] : undefined;
}

/** A wait that its caller gives up. If it has ended before, that stands. A party that has arrived breaks the barrier. */
export function cancel(step: Step, p: RoundState, session: string, seq: number, acts: number): string[] {
  const was = known(p, session, seq, acts);
  // The record stays until the session has said that it knows: this reply may be lost, and the step be sent again.
  if (was?.[0] === 'ended' && was[1] !== String(ENDING.acts)) return was;
  if (was === undefined) return ['left'];
  const at = p.waiters.findIndex((each) => each.session === session && each.seq === seq && each.n === acts);
  const arrived = p.isBarrier && (p.acting === 0 || (at >= 0 && at < p.acting));
  if (arrived) {
    shatter(step, p, ENDING.gaveUp);
    p.ended.delete(idOf(session, seq));
  } else if (at >= 0) {
    p.waiters.splice(at, 1);
  }
  return ['left'];
}

/** How much of it is the session's. */
export function ownedBy(p: RoundState, session: string): number {
  const own = p.owned.get(session);
  return own !== undefined && (p.isBarrier || own.round === p.round) ? own.n : 0;
}

function own(p: RoundState, session: string, n: number): void {
  if (n > 0) p.owned.set(session, { n, round: p.round });
  else p.owned.delete(session);
}

/** A change that a session makes. Returns the answer of a refusal, or nothing. */
type Change = (
  step: Step,
  p: RoundState,
  session: string,
  n: number,
  seq: number,
  acts: number,
) => string[] | undefined;

function count(step: Step, p: RoundState, session: string, n: number): string[] | undefined {
  const size = p.size + n;
  if (size < 0 || size > MAX_COUNT) return ['refused', String(p.size)];
  const owned = ownedBy(p, session);
  if (n < 0 && owned > 0) own(p, session, size === 0 ? 0 : Math.max(0, owned + n));
  p.size = size;
  if (size === 0) finish(step, p, p.waiters.length, ENDING.tripped, ENDING.tripped);
  return undefined;
}

export const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['count', count],
  [
    'claim',
    (_step, p, session, n) => {
      const owned = ownedBy(p, session);
      if (owned + n > p.size) return ['refused', String(p.size)];
      own(p, session, owned + n);
      return undefined;
    },
  ],
  [
    'register',
    (_step, p, session, n) => {
      if (p.size + n > MAX_PARTIES) return ['refused', String(p.size)];
      p.size += n;
      own(p, session, ownedBy(p, session) + n);
      return undefined;
    },
  ],
  [
    'deregister',
    (step, p, session, n, seq, acts) => {
      const arrived = p.waiters.length - p.acting;
      if (p.size - n < arrived) return ['refused', String(p.size), String(arrived)];
      const owned = ownedBy(p, session);
      if (owned > 0) own(p, session, Math.max(0, owned - n));
      p.size -= n;
      if (!isComplete(p)) return undefined;
      if (acts === 1) begin(step, p, session, seq);
      else finish(step, p, p.size, ENDING.leads, ENDING.tripped);
      return undefined;
    },
  ],
  [
    'abort',
    (step, p) => {
      if (p.broken === undefined) shatter(step, p, ENDING.aborted);
      return undefined;
    },
  ],
  [
    'mend',
    (_step, p) => {
      p.broken = undefined;
      return undefined;
    },
  ],
  [
    'reset',
    (step, p) => {
      if (p.broken !== undefined) {
        p.broken = undefined;
        return undefined;
      }
      if (p.waiters.length === 0) return undefined;
      finish(step, p, p.acting > 0 ? p.acting : p.waiters.length, ENDING.reset, ENDING.reset);
      complete(step, p);
      return undefined;
    },
  ],
]);

/** The changes that a latch has. A barrier has the others. */
export const OF_LATCH: readonly string[] = ['count', 'claim'];

/**
 * The session has ended: it waits for nothing and owns nothing any more. Its parties leave, and its part of a count is
 * counted down.
 */
export function dropFromRounds(step: Step, p: RoundState, session: string): void {
  let leaves = p.actor !== undefined && sessionOf(p.actor) === session;
  p.waiters.forEach((each, i) => {
    if (each.session === session) leaves ||= p.acting === 0 || i < p.acting;
  });
  p.waiters = p.waiters.filter((each) => each.session !== session);
  for (const id of p.ended.keys()) if (sessionOf(id) === session) p.ended.delete(id);
  const owned = ownedBy(p, session);
  // Also a claim of a round that has ended.
  own(p, session, 0);
  if (!p.isBarrier) {
    if (owned > 0 && p.size > 0) count(step, p, session, -Math.min(owned, p.size));
    return;
  }
  if (owned > 0) p.size = Math.max(0, p.size - owned);
  if ((leaves || owned > 0) && p.broken === undefined) shatter(step, p, ENDING.died);
}

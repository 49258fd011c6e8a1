// The operations on countdown latches and barriers. rounds.ts implements them.
//
//   operation  arguments                                    answers
//   arrive     name, sequence, waits, acts, seen, cap,      ended CODE ROUND · waiting ROUND · busy · empty · cap N
//              field, sequences that the session knows of
//   change     name, sequence, what, n, acts, cap, field    changed OWNED ROUND · acts OWNED ROUND · cap N ·
//                                                           refused N ARRIVED
//   tripped    name, sequence, threw                        ended CODE ROUND · absent
//   recall     name, seen                                   recalled
//
// A call that is sent again has no second effect. An `arrive` finds its record. A change finds that the number of its
// session's last change is at least its own number.

import { ENDING } from '../engine/protocol.ts';
import { isRound, joinRounds, roundsAt } from './primitives.ts';
import {
  cancel as cancelRound,
  CHANGES,
  complete,
  finish,
  known,
  OF_LATCH,
  ownedBy,
  recall as recallRounds,
  shatter,
} from './rounds.ts';
import { idOf } from './state.ts';
import type { Step } from './step.ts';

export function arrive(
  step: Step,
  name: string,
  seq: number,
  mayWait: number,
  acts: number,
  seen: number,
  size: number,
  _field: string,
  ...learned: number[]
): string[] {
  const { me } = step;
  const p = joinRounds(step, me, name, size);
  for (const each of learned) p.ended.delete(idOf(me, each));
  if (p.cap !== size) return ['cap', String(p.cap)];
  const was = known(p, me, seq, acts);
  if (was !== undefined) return was;
  if (!p.isBarrier && p.size === 0) {
    p.ended.set(idOf(me, seq), { code: ENDING.tripped, round: p.round });
    return ['ended', String(ENDING.tripped), String(p.round)];
  }
  if (p.isBarrier) {
    recallRounds(step, p, seen);
    if (p.broken !== undefined) return ['ended', String(p.broken), String(p.round - 1)];
    if (p.size === 0) return ['empty'];
    if (mayWait === 0 && (p.acting > 0 || p.waiters.length + 1 < p.size)) return ['busy'];
  } else if (mayWait === 0) {
    return ['busy'];
  }
  p.waiters.push({ session: me, seq, n: acts });
  if (p.isBarrier) complete(step, p);
  return known(p, me, seq, acts) ?? ['busy'];
}

export function change(
  step: Step,
  name: string,
  seq: number,
  what: string,
  n: number,
  acts: number,
  size: number,
): string[] {
  const { me } = step;
  const p = joinRounds(step, me, name, size);
  if (p.cap !== size) return ['cap', String(p.cap)];
  const session = step.state.sessions.get(me);
  if (session !== undefined && seq > session.posts) {
    const refused = CHANGES.get(what)?.(step, p, me, n, seq, acts);
    if (refused !== undefined) return refused;
    session.posts = seq;
  }
  return [p.actor === idOf(me, seq) ? 'acts' : 'changed', String(ownedBy(p, me)), String(p.round)];
}

export function tripped(step: Step, name: string, seq: number, threw: number): string[] {
  const p = roundsAt(step, name);
  if (p === undefined) return ['absent'];
  if (p.actor === idOf(step.me, seq)) {
    if (threw === 1) {
      shatter(step, p, ENDING.threw);
    } else {
      finish(step, p, p.acting, ENDING.leads, ENDING.tripped);
      complete(step, p);
    }
  }
  return known(p, step.me, seq, 1) ?? ['absent'];
}

export function recall(step: Step, name: string, seen: number): string[] {
  const p = roundsAt(step, name);
  if (p !== undefined) recallRounds(step, p, seen);
  return ['recalled'];
}

/** Returns `undefined` if the primitive is neither a latch nor a barrier. */
export function cancel(step: Step, name: string, seq: number, acts: number): string[] | undefined {
  if (!isRound(name)) return undefined;
  const p = roundsAt(step, name);
  return p === undefined ? ['left'] : cancelRound(step, p, step.me, seq, acts);
}

/** Whether the kind of primitive has the change. */
export function hasChange(name: string, what: string): boolean {
  const ofLatch = OF_LATCH.includes(what);
  return CHANGES.has(what) && (name.startsWith('d:') ? ofLatch : what !== 'count');
}

// The operations on lines, rates, onces and the keys of keyed mutexes. Each is idempotent by session and number: a step
// whose reply was lost is sent again, and answers with the current state.
//
//   operation  arguments                            answers
//   acquire    name, sequence, permits, waits,      granted TOKEN ASKED · waiting MS · busy FREE · closed · cap N · far
//              cap, 'sticky every starts signal'
//   attempt    as acquire, and the time of a job    granted TOKEN 0 · waiting 0 · busy · closed · done VALUE
//   finish     name, sequence, value                finished · done VALUE · closed · absent
//   release    name, sequence, keeps                released, or absent; then grants of this session
//   cancel     name, sequence, permits              left; then grants of this session
//   poke       name                                 poked; then grants of this session
//   settle     name, sequences...                   settled
//   unbook     name, sequence                       returned, then grants of this session · kept · absent
//   post       name, sequence, permits, cap, text   posted, then grants of this session · closed · cap N
//   resize     name, cap, cap as made, text         resized, then grants of this session · closed
//   close      name, cap, text                      closed
//
// A job is a once for each time for which it is scheduled. Its value is the latest time for which it has run, and it is
// done for that time and all earlier ones.
//
// Waiters for 0 permits of a once are behind all other waiters in line, even behind later ones. So the head is such a
// waiter only if all waiters are, and then the permit is free for the next caller with an initialiser.

import { MESSAGE } from '../engine/protocol.ts';
import { ask, asked, grant, leave, note, pause, shown, take, waits } from './line.ts';
import { isJob, isKey, joinLine, lineAt, newLine, removeKey, sweepKey } from './primitives.ts';
import { isFar, isRate, madeOf, takeBack, weight } from './rate.ts';
import { idOf, type LineRecord } from './state.ts';
import type { Step } from './step.ts';

/** The text that makes a key of a keyed mutex. */
const KEY_TEXT = '0 0 0 0';

function refusal(step: Step, line: LineRecord, n: number, size: number, rest: string): string[] | undefined {
  if (line.cap !== size || (isRate(line) && rest !== madeOf(line)))
    return ['cap', String(line.cap), String(line.every)];
  if (line.closed) return ['closed'];
  return isRate(line) && isFar(step, line, n) ? ['far'] : undefined;
}

export function acquire(
  step: Step,
  name: string,
  seq: number,
  n: number,
  mayWait: number,
  size: number,
  rest: string,
): string[] {
  const { me } = step;
  let line = lineAt(step, name);
  const held = line?.grants.get(idOf(me, seq));
  if (line !== undefined && held !== undefined) return ['granted', shown(step, line, held), asked(line, me)];
  if (line !== undefined && seq <= (line.sessions.get(me) ?? 0) && waits(line, me, seq, n)) return ['waiting', '0'];
  if (line === undefined && isKey(name)) {
    line = newLine(1, KEY_TEXT);
    step.state.lines.set(name, line);
    line.sessions.set(me, seq);
    step.state.sessions.get(me)?.uses.add(name);
    return ['granted', shown(step, line, take(step, line, me, seq, n)), '0'];
  }
  line = joinLine(step, me, name, size, rest);
  const refused = refusal(step, line, n, size, rest);
  if (refused !== undefined) return refused;
  let due = 0;
  if (line.free >= weight(n) && line.waiters.length === 0) {
    due = pause(step, line, n);
    if (due === 0) {
      note(line, me, seq);
      return ['granted', shown(step, line, take(step, line, me, seq, n)), '0'];
    }
  }
  if (mayWait === 0) return ['busy', String(line.free)];
  line.waiters.push({ session: me, seq, n });
  note(line, me, seq);
  if (line.sticky) ask(step, name, line, me);
  return ['waiting', String(due)];
}

/** Whether a once is done, or a job for that time. */
function isDone(name: string, { done }: LineRecord, at: number): boolean {
  return done !== undefined && (!isJob(name) || at <= Number(done));
}

export function attempt(
  step: Step,
  name: string,
  seq: number,
  n: number,
  mayWait: number,
  size: number,
  rest: string,
  at = 0,
): string[] {
  const { me } = step;
  // Also if it is done: so that it stays while the session lives.
  const line = joinLine(step, me, name, size, rest);
  if (isDone(name, line, at)) return ['done', line.done ?? ''];
  const held = line.grants.get(idOf(me, seq));
  if (held !== undefined) return ['granted', shown(step, line, held), '0'];
  if (line.closed) return ['closed'];
  if (waits(line, me, seq, n)) return ['waiting', '0'];
  if (n > 0 && line.free > 0) {
    note(line, me, seq);
    return ['granted', shown(step, line, take(step, line, me, seq, n)), '0'];
  }
  if (mayWait === 0) return ['busy'];
  const behind = n > 0 ? line.waiters.findIndex((each) => each.n === 0) : -1;
  line.waiters.splice(behind < 0 ? line.waiters.length : behind, 0, { session: me, seq, n });
  note(line, me, seq);
  return ['waiting', '0'];
}

export function finish(step: Step, name: string, seq: number, value: string): string[] {
  const line = lineAt(step, name);
  // The value of another session, if the server has lost the grant of this one.
  if (line !== undefined && isDone(name, line, Number(value))) return ['done', line.done ?? ''];
  const held = line?.grants.get(idOf(step.me, seq));
  if (line === undefined || held === undefined) return ['absent'];
  if (line.closed) return ['closed'];
  line.done = value;
  line.free += held.n;
  line.grants.delete(idOf(step.me, seq));
  for (const waiter of line.waiters.splice(0)) step.send(waiter.session, `${MESSAGE.askAgain} ${waiter.seq}`);
  return ['finished'];
}

export function release(step: Step, name: string, seq: number, keeps: number): string[] {
  const line = lineAt(step, name);
  const held = line?.grants.get(idOf(step.me, seq));
  if (line === undefined || held === undefined) return ['absent'];
  // The step says how many permits the holder keeps. So a repeated release releases nothing more.
  const back = held.n - keeps;
  if (back <= 0) return ['released'];
  if (isKey(name) && line.waiters.length === 0) {
    removeKey(step.state, name, line);
    return ['released'];
  }
  held.n = keeps;
  if (keeps === 0) line.grants.delete(idOf(step.me, seq));
  if (!line.signal) line.free += back;
  const out = ['released'];
  grant(step, line, out);
  sweepKey(step, name, line);
  return out;
}

export function cancel(step: Step, name: string, seq: number, n: number): string[] {
  const line = lineAt(step, name);
  const out = ['left'];
  if (line === undefined) return out;
  const held = line.grants.get(idOf(step.me, seq));
  if (held !== undefined) {
    // The grant came first, and no caller will have it. So its permits return, those of a signal too.
    line.grants.delete(idOf(step.me, seq));
    if (isRate(line)) takeBack(line, held.n, held.token);
    else line.free += held.n;
  } else if (!leave(line, step.me, seq, n)) {
    return out;
  }
  grant(step, line, out);
  sweepKey(step, name, line);
  return out;
}

export function poke(step: Step, name: string): string[] {
  const out = ['poked'];
  const line = lineAt(step, name);
  if (line !== undefined) grant(step, line, out);
  return out;
}

export function settle(step: Step, name: string, ...seqs: number[]): string[] {
  const line = lineAt(step, name);
  if (line === undefined) return ['settled'];
  for (const seq of seqs) line.grants.delete(idOf(step.me, seq));
  sweepKey(step, name, line);
  return ['settled'];
}

export function unbook(step: Step, name: string, seq: number): string[] {
  const line = lineAt(step, name);
  const held = line?.grants.get(idOf(step.me, seq));
  if (line === undefined || held === undefined) return ['absent'];
  if (!takeBack(line, held.n, held.token)) return ['kept'];
  line.grants.delete(idOf(step.me, seq));
  const out = ['returned'];
  grant(step, line, out);
  return out;
}

export function post(step: Step, name: string, seq: number, n: number, size: number, rest: string): string[] {
  const line = joinLine(step, step.me, name, size, rest);
  if (line.cap !== size) return ['cap', String(line.cap)];
  if (line.closed) return ['closed'];
  const session = step.state.sessions.get(step.me);
  if (session !== undefined && seq > session.posts) {
    session.posts = seq;
    line.free += n;
  }
  const out = ['posted'];
  grant(step, line, out);
  return out;
}

export function resize(step: Step, name: string, size: number, made: number, rest: string): string[] {
  const line = joinLine(step, step.me, name, made, rest);
  if (line.closed) return ['closed'];
  line.free += size - line.cap;
  line.cap = size;
  const out = ['resized'];
  grant(step, line, out);
  return out;
}

export function close(step: Step, name: string, size: number, rest: string): string[] {
  const line = joinLine(step, step.me, name, size, rest);
  line.closed = true;
  for (const waiter of line.waiters.splice(0)) step.send(waiter.session, `${MESSAGE.closed} ${waiter.seq}`);
  // Holders of idle permits would serve their own callers from them.
  ask(step, name, line);
  return ['closed'];
}

// The primitives of a namespace: how they are made, and when they go.
//
// 1. A primitive exists while sessions use it. A signal and a latch also exist while they differ from how they were
//    made, a rate until it is full, and a once that is done: for a week after their last session.
// 2. What belongs to one key exists only while a session holds it or waits for it: the lock of a keyed mutex, and the
//    slots of a keyed limit. The value of a cache also exists until its time is over, and the rate of a key until it is
//    full and not blocked. Afterwards no session counts as a user of it.

import type { LineRecord, RoundState, State } from './state.ts';
import { stays } from './rate.ts';
import { endOf } from './value.ts';
import type { Step } from './step.ts';

const WEEK_US = 604_800e6;

/** A mutex, a limit, a value, and a rate, of one key. */
const OF_KEYS: readonly string[] = ['k:', 'n:', 'v:', 'y:'];

/** Of a line: 'sticky every starts signal'. Of a latch or a barrier: the field for its size. */
const LINE_TEXT = /^([01]) (\d+) (-?\d+) ([01])$/;

/** Whether the name is that of a key of a keyed mutex. */
export function isKey(name: string): boolean {
  return name.startsWith('k:');
}

/** Whether the name is that of a job: a once for each time for which the job is scheduled. */
export function isJob(name: string): boolean {
  return name.startsWith('j:');
}

/** Whether the name is that of the value of one key of a cache. */
export function isValue(name: string): boolean {
  return name.startsWith('v:');
}

/** Whether a primitive belongs to one key of many: of a keyed mutex, limit or rate limiter, or of a cache. */
export function isOfKey(name: string): boolean {
  return OF_KEYS.includes(name.slice(0, 2));
}

/** Whether the name is that of a latch or a barrier. */
export function isRound(name: string): boolean {
  return name.startsWith('d:') || name.startsWith('b:');
}

/** Whether the text makes a line. */
export function isLineText(rest: string): boolean {
  return LINE_TEXT.test(rest);
}

export function lineAt({ state, us }: Step, name: string): LineRecord | undefined {
  const line = state.lines.get(name);
  if (line === undefined || line.sessions.size > 0 || us < line.expires) return line;
  state.lines.delete(name);
  return undefined;
}

export function roundsAt({ state, us }: Step, name: string): RoundState | undefined {
  const rounds = state.rounds.get(name);
  if (rounds === undefined || rounds.sessions.size > 0 || us < rounds.expires) return rounds;
  state.rounds.delete(name);
  return undefined;
}

export function newLine(cap: number, rest: string): LineRecord {
  const [, sticky = '0', every = '0', starts = '0', signal = '0'] = LINE_TEXT.exec(rest) ?? [];
  return {
    cap,
    free: cap,
    sticky: sticky === '1',
    every: Number(every),
    starts: Number(starts),
    signal: signal === '1',
    from: 0,
    used: 0,
    times: [],
    closed: false,
    done: undefined,
    waiters: [],
    sessions: new Map(),
    grants: new Map(),
    expires: 0,
  };
}

/** The session uses a line, which is made if it does not exist. */
export function joinLine(step: Step, session: string, name: string, cap: number, rest: string): LineRecord {
  let line = lineAt(step, name);
  if (line?.sessions.has(session) === true) return line;
  if (line === undefined) {
    line = newLine(cap, rest);
    step.state.lines.set(name, line);
  } else if (line.sessions.size === 0 && line.every > 0 && line.starts === 0) {
    // A rate that no session uses may be made with other numbers. The times at which it is full and unblocked stay.
    line = Object.assign(newLine(cap, rest), { from: line.from, used: line.used });
    step.state.lines.set(name, line);
  }
  line.sessions.set(session, 0);
  step.state.sessions.get(session)?.uses.add(name);
  return line;
}

/** The session uses a latch or a barrier, which is made if it does not exist. */
export function joinRounds(step: Step, session: string, name: string, cap: number): RoundState {
  let rounds = roundsAt(step, name);
  if (rounds === undefined) {
    rounds = {
      isBarrier: name.startsWith('b:'),
      cap,
      size: cap,
      round: 0,
      broken: undefined,
      acting: 0,
      actor: undefined,
      waiters: [],
      sessions: new Set(),
      owned: new Map(),
      ended: new Map(),
      expires: 0,
    };
    step.state.rounds.set(name, rounds);
  }
  rounds.sessions.add(session);
  step.state.sessions.get(session)?.uses.add(name);
  return rounds;
}

/** Removes a key of a keyed mutex. */
export function removeKey(state: State, name: string, line: LineRecord): void {
  state.lines.delete(name);
  for (const session of line.sessions.keys()) state.sessions.get(session)?.uses.delete(name);
}

/** Takes what belongs to one key away from the sessions that have used it, if none holds it or waits for it. */
export function sweepKey(step: Step, name: string, line: LineRecord): void {
  if (!isOfKey(name) || line.waiters.length > 0 || line.grants.size > 0) return;
  for (const session of line.sessions.keys()) step.state.sessions.get(session)?.uses.delete(name);
  line.sessions.clear();
  keepUnused(step, name, line);
}

/** Called when the last session has left a line. Returns whether the line stays. */
export function keepUnused(step: Step, name: string, line: LineRecord): boolean {
  if (line.every > 0 && line.starts === 0 && stays(step, line)) return true;
  if (isValue(name)) {
    const end = endOf(line);
    if (end > step.us) {
      line.expires = end;
      return true;
    }
    step.state.lines.delete(name);
    return false;
  }
  if (line.done !== undefined || (line.signal && line.free !== line.cap)) {
    line.expires = step.us + WEEK_US;
    return true;
  }
  step.state.lines.delete(name);
  return false;
}

/** Called when the last session has left a latch or a barrier. */
export function keepUnusedRounds(step: Step, name: string, rounds: RoundState): void {
  if (!rounds.isBarrier && rounds.size !== rounds.cap) rounds.expires = step.us + WEEK_US;
  else step.state.rounds.delete(name);
}

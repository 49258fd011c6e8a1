// The operations of a session as a whole, and the reports.
//
//   operation  arguments                     answers
//   attach     lease, label, format, former  attached
//   beat       lease, (name, sequence,       alive MS (until the next lease ends), then for each entry that changed:
//              permits, holds)...            sequence, and a token, 'gone', 'asked' or 'lost'
//   mine                                     mine, then name, sequence, permits of each wait and grant
//   detach                                   detached
//   look       name                          looked, free, cap, closed, counts, then waiters and holders
//   sessions                                 sessions, the time in µs, then for each session: its name, label, ms left
//                                            of its lease, and the number and names of the primitives that it has used
//                                            and that are not idle
//   keys       the beginning of their names  keys, then for each one in use: name, waiters, and session, label and
//                                            token of its holder, or ''
//   gauge      name                          gauged, burst, every, ticks until the bucket is full, closed, ticks until
//                                            the end of the block, then session, label and permits of each waiter
//   survey     name                          surveyed, then cap, count or parties, round, broken, acting, waiters; then
//                                            the sessions of the waiters, and those that own something, with how much

import { asked, grant, grantsOf, shown, waits } from './line.ts';
import { isRound, lineAt, roundsAt } from './primitives.ts';
import { ahead, blockedFor, isRate, weight } from './rate.ts';
import { dropFromRounds, known } from './rounds.ts';
import { drop, inOrder, renew } from './sessions.ts';
import { idOf, seqOf, sessionOf, type LineRecord, type SessionState } from './state.ts';
import type { Step } from './step.ts';

export function attach(
  step: Step,
  owner: string,
  generation: number,
  lease: number,
  label: string,
  former?: string,
): string[] {
  const { state, me } = step;
  const before = state.sessions.get(me);
  // An old connection may deliver this call once more.
  if (before !== undefined && before.generation > generation) return ['attached'];
  const half = lease / 2;
  state.cap = state.sessions.size > 0 ? Math.min(half, state.cap) : half;
  const session: SessionState = before ?? { label, owner, generation, ends: 0, lease, posts: 0, uses: new Set() };
  session.label = label;
  session.generation = generation;
  session.lease = lease;
  state.sessions.set(me, session);
  renew(step, session, lease);
  // The process has given up its session `former`. What `former` holds stays until its lease ends. But a new arrival of
  // the process must not count beside an arrival of `former`.
  const given = former === undefined ? undefined : state.sessions.get(former);
  if (former === undefined || given === undefined) return ['attached'];
  for (const name of given.uses) {
    const rounds = state.rounds.get(name);
    if (rounds !== undefined) dropFromRounds(step, rounds, former);
  }
  given.generation = 0;
  return ['attached'];
}

/** An entry of a heartbeat. */
export type Entry = readonly [name: string, seq: number, n: number, holds: number];

export function beat(step: Step, session: SessionState, lease: number, entries: readonly Entry[]): string[] {
  const out = ['alive', String(renew(step, session, lease))];
  const seen = new Set<string>();
  for (const [name, seq, n, holds] of entries) {
    const line = lineAt(step, name);
    if (holds === 0 && line !== undefined && line.every > 0 && !seen.has(name)) {
      seen.add(name);
      grant(step, line);
    }
    const answer = isRound(name) ? roundAnswer(step, name, seq, n, holds) : lineAnswer(step, line, seq, n, holds);
    if (answer !== undefined) out.push(String(seq), answer);
  }
  return out;
}

function roundAnswer(step: Step, name: string, seq: number, acts: number, learned: number): string | undefined {
  const p = roundsAt(step, name);
  if (learned === 1) {
    p?.ended.delete(idOf(step.me, seq));
    return undefined;
  }
  const [state, code, round] = (p === undefined ? undefined : known(p, step.me, seq, acts)) ?? ['lost'];
  return state === 'ended' ? `${code}:${round}` : state === 'lost' ? 'lost' : undefined;
}

function lineAnswer(
  step: Step,
  line: LineRecord | undefined,
  seq: number,
  n: number,
  holds: number,
): string | undefined {
  const held = line?.grants.get(idOf(step.me, seq));
  if (holds === 1) {
    if (held === undefined) return 'gone';
    return line?.sticky === true && asked(line, step.me) === '1' ? 'asked' : undefined;
  }
  if (line !== undefined && held !== undefined) return shown(step, line, held);
  return line !== undefined && waits(line, step.me, seq, n) ? undefined : 'lost';
}

export function mine(step: Step, session: SessionState): string[] {
  const out = ['mine'];
  const add = (name: string, seq: number, n: number): void => void out.push(name, String(seq), String(n));
  for (const name of session.uses) {
    const line = lineAt(step, name);
    const rounds = roundsAt(step, name);
    for (const { session: waiter, seq, n } of line?.waiters ?? rounds?.waiters ?? [])
      if (waiter === step.me) add(name, seq, n);
    for (const [id, { n }] of line?.grants ?? []) if (sessionOf(id) === step.me) add(name, seqOf(id), n);
    // A wait that has ended, until its session knows.
    for (const [id, { code }] of rounds?.ended ?? []) if (sessionOf(id) === step.me) add(name, seqOf(id), code);
  }
  return out;
}

export function detach(step: Step): string[] {
  drop(step, step.me);
  return ['detached'];
}

function labelOf({ state }: Step, session: string): string {
  return state.sessions.get(session)?.label ?? '';
}

export function look(step: Step, name: string): string[] {
  const line = lineAt(step, name);
  if (line === undefined) return ['looked', '', '', '0', '0', '0'];
  const holders = grantsOf(line).sort(([, , a], [, , b]) => a.token - b.token);
  const state = line.done !== undefined ? 'done' : line.closed ? '1' : '0';
  const counts = [String(line.waiters.length), String(holders.length)];
  return [
    'looked',
    String(line.free),
    String(line.cap),
    state,
    ...counts,
    ...line.waiters.flatMap(({ session, n }) => [session, labelOf(step, session), String(n)]),
    ...holders.flatMap(([session, , { n, token }]) => [session, labelOf(step, session), String(n), String(token)]),
  ];
}

/** Whether all permits of a line are free. */
function isIdle(step: Step, name: string): boolean {
  const line = lineAt(step, name);
  return line !== undefined && line.free === line.cap && line.waiters.length === 0;
}

/**
 * All sessions, with the rest of their leases in ms and the names of the primitives that they have used and that are not
 * idle.
 */
export function all(step: Step): string[] {
  return [
    'sessions',
    String(step.us),
    ...inOrder(step.state).flatMap(([id, { label, ends, uses }]) => {
      const left = Math.max(0, Math.ceil(ends - step.now));
      const names = [...uses].filter((name) => !isIdle(step, name)).sort();
      return [id, label, String(left), String(names.length), ...names];
    }),
  ];
}

export function keys(step: Step, prefix: string): string[] {
  const out = ['keys'];
  const seen = new Set<string>();
  for (const [, { uses }] of inOrder(step.state)) {
    for (const name of uses) {
      if (!name.startsWith(prefix) || seen.has(name)) continue;
      const line = lineAt(step, name);
      if (line === undefined) continue;
      seen.add(name);
      const [holder] = grantsOf(line);
      const shownHolder =
        holder === undefined ? ['', '', ''] : [holder[0], labelOf(step, holder[0]), String(holder[2].token)];
      out.push(name, String(line.waiters.length), ...shownHolder);
    }
  }
  return out;
}

export function gauge(step: Step, name: string): string[] {
  const line = lineAt(step, name);
  if (line === undefined || !isRate(line)) return ['gauged', '', '', '0', '0', '0'];
  return [
    'gauged',
    String(line.free),
    String(line.every),
    String(ahead(step, line)),
    line.closed ? '1' : '0',
    String(blockedFor(step, line)),
    ...line.waiters.flatMap(({ session, n }) => [session, labelOf(step, session), String(weight(n))]),
  ];
}

export function survey(step: Step, name: string): string[] {
  const p = roundsAt(step, name);
  if (p === undefined) return ['surveyed', '', '', '0', '', '0', '0'];
  const owners = [...p.owned].filter(([, { round }]) => p.isBarrier || round === p.round);
  return [
    'surveyed',
    String(p.cap),
    String(p.size),
    String(p.round),
    p.broken === undefined ? '' : String(p.broken),
    String(p.acting),
    String(p.waiters.length),
    ...p.waiters.flatMap(({ session }) => [session, labelOf(step, session), '1']),
    ...owners.flatMap(([session, { n }]) => [session, labelOf(step, session), String(n)]),
  ];
}

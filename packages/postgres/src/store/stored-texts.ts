// How rows store sessions, primitives and the clock of a namespace, as JSON in ASCII.
//
// A primitive lists its sessions once. Its waiters and grants name them by their place in that list, so a line of 256
// waiters takes about 2 kB, and fits into the page of its row.

import {
  FORMAT as STEPS,
  idOf,
  seqOf,
  sessionOf,
  type LineRecord,
  type RoundState,
  type SessionState,
  type State,
} from '@sluice/remote/steps';
import { jsonOf } from '../sql/quote.ts';

/** The version of the steps, and of these texts. Processes with different versions cannot share a namespace. */
export const FORMAT = `${STEPS}-1`;

/** The places of sessions in a list. */
class Places {
  readonly sessions: string[] = [];
  readonly #places = new Map<string, number>();

  constructor(sessions: Iterable<string>) {
    for (const session of sessions) this.of(session);
  }

  of(session: string): number {
    const known = this.#places.get(session);
    if (known !== undefined) return known;
    this.#places.set(session, this.sessions.length);
    return this.sessions.push(session) - 1;
  }
}

/** Calls `take` with each group of `size` numbers, the first of which is the place of a session. */
function groups(
  sessions: readonly string[],
  flat: readonly number[],
  size: number,
  take: (session: string, ...rest: number[]) => void,
): void {
  for (let at = 0; at < flat.length; at += size) {
    const [place = 0, ...rest] = flat.slice(at, at + size);
    take(sessions[place] ?? '', ...rest);
  }
}

type LineText = [
  numbers: [cap: number, free: number, every: number, starts: number, from: number, used: number, expires: number],
  flags: [sticky: 0 | 1, signal: 0 | 1, closed: 0 | 1],
  done: string | null,
  sessions: string[],
  /** The newest acquire of each of the first sessions, which are those that use the line. */
  newest: number[],
  waiters: number[],
  grants: number[],
  times: number[],
];

const bit = (is: boolean): 0 | 1 => (is ? 1 : 0);

export function lineText(line: LineRecord): string {
  const places = new Places(line.sessions.keys());
  const waiters = line.waiters.flatMap(({ session, seq, n }) => [places.of(session), seq, n]);
  const grants = [...line.grants].flatMap(([id, { n, token }]) => [places.of(sessionOf(id)), seqOf(id), n, token]);
  const { cap, free, every, starts, from, used, expires } = line;
  const text: LineText = [
    [cap, free, every, starts, from, used, expires],
    [bit(line.sticky), bit(line.signal), bit(line.closed)],
    line.done ?? null,
    places.sessions,
    [...line.sessions.values()],
    waiters,
    grants,
    line.times,
  ];
  return jsonOf(text);
}

export function lineIn(text: string): LineRecord {
  const [numbers, flags, done, sessions, newest, waiters, grants, times] = JSON.parse(text) as LineText;
  const [cap, free, every, starts, from, used, expires] = numbers;
  const [sticky, signal, closed] = flags;
  const line: LineRecord = {
    cap,
    free,
    sticky: sticky === 1,
    every,
    starts,
    signal: signal === 1,
    from,
    used,
    times,
    closed: closed === 1,
    done: done ?? undefined,
    waiters: [],
    sessions: new Map(newest.map((seq, place) => [sessions[place] ?? '', seq])),
    grants: new Map(),
    expires,
  };
  groups(sessions, waiters, 3, (session, seq = 0, n = 0) => line.waiters.push({ session, seq, n }));
  groups(sessions, grants, 4, (session, seq = 0, n = 0, token = 0) =>
    line.grants.set(idOf(session, seq), { n, token }),
  );
  return line;
}

type RoundText = [
  numbers: [cap: number, size: number, round: number, acting: number, expires: number],
  isBarrier: 0 | 1,
  broken: number | null,
  actor: string | null,
  sessions: string[],
  /** How many of the sessions use it. */
  using: number,
  waiters: number[],
  owned: number[],
  ended: number[],
];

export function roundText(p: RoundState): string {
  const places = new Places(p.sessions);
  const waiters = p.waiters.flatMap(({ session, seq, n }) => [places.of(session), seq, n]);
  const owned = [...p.owned].flatMap(([session, { n, round }]) => [places.of(session), n, round]);
  const ended = [...p.ended].flatMap(([id, { code, round }]) => [places.of(sessionOf(id)), seqOf(id), code, round]);
  const text: RoundText = [
    [p.cap, p.size, p.round, p.acting, p.expires],
    bit(p.isBarrier),
    p.broken ?? null,
    p.actor ?? null,
    places.sessions,
    p.sessions.size,
    waiters,
    owned,
    ended,
  ];
  return jsonOf(text);
}

export function roundIn(text: string): RoundState {
  const [numbers, isBarrier, broken, actor, sessions, using, waiters, owned, ended] = JSON.parse(text) as RoundText;
  const [cap, size, round, acting, expires] = numbers;
  const p: RoundState = {
    isBarrier: isBarrier === 1,
    cap,
    size,
    round,
    broken: broken ?? undefined,
    acting,
    actor: actor ?? undefined,
    waiters: [],
    sessions: new Set(sessions.slice(0, using)),
    owned: new Map(),
    ended: new Map(),
    expires,
  };
  groups(sessions, waiters, 3, (session, seq = 0, n = 0) => p.waiters.push({ session, seq, n }));
  groups(sessions, owned, 3, (session, n = 0, of = 0) => p.owned.set(session, { n, round: of }));
  groups(sessions, ended, 4, (session, seq = 0, code = 0, of = 0) =>
    p.ended.set(idOf(session, seq), { code, round: of }),
  );
  return p;
}

type SessionText = [label: string, owner: string, generation: number, ends: number, lease: number, posts: number];

export function sessionText({ label, owner, generation, ends, lease, posts }: SessionState): string {
  const text: SessionText = [label, owner, generation, ends, lease, posts];
  return jsonOf(text);
}

export function sessionIn(text: string, uses: Set<string>): SessionState {
  const [label, owner, generation, ends, lease, posts] = JSON.parse(text) as SessionText;
  return { label, owner, generation, ends, lease, posts, uses };
}

/** The clock of a namespace, and whether a session of it may have mail. */
export interface ClockState extends Pick<State, 'real' | 'log' | 'cap' | 'first' | 'token'> {
  polled: boolean;
}

type ClockText = [real: number, log: number, cap: number, first: number, token: number, polled: 0 | 1];

export function clockText({ real, log, cap, first, token, polled }: ClockState): string {
  const text: ClockText = [real, log, cap, first, token, bit(polled)];
  return jsonOf(text);
}

export function clockIn(text: string): ClockState {
  const [real, log, cap, first, token, polled] = JSON.parse(text) as ClockText;
  return { real, log, cap, first, token, polled: polled === 1 };
}

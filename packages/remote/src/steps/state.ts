// What a namespace consists of: its clock, its sessions, and its primitives. The local engine has it in memory,
// and the engine over Postgres loads the parts of it that a step uses.

/** A waiter in a line, or a party at a barrier or latch. */
export interface WaiterEntry {
  readonly session: string;
  readonly seq: number;
  /** The permits that it waits for. At a barrier or latch: 1 if its process has an action. */
  readonly n: number;
}

export interface Held {
  /** The permits that the grant still holds. */
  n: number;
  /** The fencing token. Of a rate: the tick that the take left in `from`. */
  token: number;
}

/** A line of waiters and its permits. All primitives but barriers and latches are lines. */
export interface LineRecord {
  /** The permits that exist. */
  cap: number;
  /** The permits that no session holds. Below 0 after a resize. Of a rate: the burst, always. */
  free: number;
  /** Holders keep idle permits until another session asks. */
  readonly sticky: boolean;
  /** The interval in ms, or 0. Of a rate: the ticks in which one permit comes. */
  every: number;
  /** The grants allowed in each interval. Below 0: in any time of that length. 0 for a rate. */
  readonly starts: number;
  /** The permits of a dead session stay taken. */
  readonly signal: boolean;
  /** The logical time at which the interval began. Of a rate: the tick at which the bucket is full again. */
  from: number;
  /**
   * The grants in that interval. Of a rate: the tick until which it is blocked. If `starts` is below 0: the place in
   * `times` of the next grant.
   */
  used: number;
  /** If `starts` is below 0: the logical times of the last grants, as a ring. */
  readonly times: number[];
  closed: boolean;
  /** Of a once: its value, once an initialiser has returned. Of a key of a cache: its value, with its times. */
  done: string | undefined;
  /** In the order in which they will be served. */
  readonly waiters: WaiterEntry[];
  /** The sessions that have used it, each with the number of its newest acquire that took or waits. */
  readonly sessions: Map<string, number>;
  /** By session and number. */
  readonly grants: Map<string, Held>;
  /** While no session uses it: the wall clock in µs after which it may go. */
  expires: number;
}

/** A countdown latch or a barrier. */
export interface RoundState {
  readonly isBarrier: boolean;
  /** The count or the parties with which it was made. */
  readonly cap: number;
  /** The present count, or the present number of parties. */
  size: number;
  /** How many rounds have ended. */
  round: number;
  /** Why a barrier is broken: a code. */
  broken: number | undefined;
  /** The first `acting` waiters are the round, and the call `actor` runs its action. */
  acting: number;
  actor: string | undefined;
  /** In the order of arrival. */
  waiters: WaiterEntry[];
  readonly sessions: Set<string>;
  /** What is a session's: so much of the count in that round, or so many parties. */
  readonly owned: Map<string, { n: number; round: number }>;
  /** By session and number: waits that have ended, until their session knows. */
  readonly ended: Map<string, { code: number; round: number }>;
  expires: number;
}

export interface SessionState {
  label: string;
  /** The process that began it. */
  owner: string;
  /** The newest connection that it has used. 0: its process has given it up. */
  generation: number;
  /** The logical time at which its lease ends. */
  ends: number;
  /** In ms. */
  lease: number;
  /** The number of its last change. */
  posts: number;
  /** The names of the primitives that it has used. */
  readonly uses: Set<string>;
}

export interface State {
  /** The wall clock at the last write of the logical clock, in µs; -1: never. */
  real: number;
  /** The logical clock, in ms. */
  log: number;
  /** How far one step may advance the logical clock, in ms. */
  cap: number;
  /** The logical time at which the first lease of a session ends. */
  first: number;
  /** The greatest fencing token so far. */
  token: number;
  readonly sessions: Map<string, SessionState>;
  readonly lines: Map<string, LineRecord>;
  readonly rounds: Map<string, RoundState>;
}

export function emptyState(): State {
  return {
    real: -1,
    log: 0,
    cap: 1000,
    first: 0,
    token: 0,
    sessions: new Map(),
    lines: new Map(),
    rounds: new Map(),
  };
}

/** Names a wait or a grant: the session, and the number of the call that began it. */
export function idOf(session: string, seq: number): string {
  return `${session}:${seq}`;
}

/** The session of a name that `idOf` made. */
export function sessionOf(id: string): string {
  return id.slice(0, id.lastIndexOf(':'));
}

/** The number in a name that `idOf` made. */
export function seqOf(id: string): number {
  return Number(id.slice(id.lastIndexOf(':') + 1));
}

/** Returns the state as text. `us`: the wall clock. What has expired is left out. */
export function encodeState(state: State, us: number): string {
  const lives = ([, { sessions, expires }]: [string, LineRecord | RoundState]): boolean =>
    sessions.size > 0 || us < expires;
  const living = {
    ...state,
    lines: new Map([...state.lines].filter(lives)),
    rounds: new Map([...state.rounds].filter(lives)),
  };
  return JSON.stringify(living, (_key, value: unknown) =>
    value instanceof Map ? { $map: [...value] } : value instanceof Set ? { $set: [...value] } : value,
  );
}

/** Returns the state of a text that `encodeState` made. */
export function decodeState(text: string): State {
  return JSON.parse(text, (_key, value: unknown) => {
    const given = value as { readonly $map?: [unknown, unknown][]; readonly $set?: unknown[] } | null;
    if (typeof given !== 'object' || given === null) return value;
    return given.$map !== undefined ? new Map(given.$map) : given.$set !== undefined ? new Set(given.$set) : value;
  }) as State;
}

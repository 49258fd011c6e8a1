// The report of a primitive, from the server's answers.

/** A session, as reports name it. */
export interface ReportedSession {
  /** The session's id. */
  readonly session: string;
  /** The name that its process gave to `connect`. */
  readonly label: string;
}

/** A session that holds permits of a primitive or waits for them. */
export interface Participant extends ReportedSession {
  readonly permits: number;
}

export interface RemoteReport {
  readonly name: string;
  readonly state: 'open' | 'closed';
  /**
   * The number of permits that exist, and the number that no session holds. Waiters in line may be about to get the
   * latter.
   */
  readonly permits: number;
  readonly available: number;
  /** The waiters of all sessions, in the order in which they will be served. */
  readonly waiters: readonly Participant[];
  /**
   * The holders. `fencingToken` is in decimal digits, so that a report can be JSON. To compare it with the token of a
   * guard, use `BigInt(fencingToken)`.
   */
  readonly holders: readonly Holder[];
}

interface Holder extends Participant {
  readonly fencingToken: string;
}

/** Reads the answer of `look`. `permits` is the number of permits if no session has used the primitive yet. */
export function readReport(name: string, permits: number, reply: readonly string[]): RemoteReport {
  const [, free = '', cap = '', closed, waiting = '0'] = reply;
  const waiters: Participant[] = [];
  const holders: Holder[] = [];
  let at = 6;
  const next = (): string => reply[at++] ?? '';
  const participant = (): Participant => ({ session: next(), label: next(), permits: Number(next()) });
  for (let i = 0; i < Number(waiting); i++) waiters.push(participant());
  while (at < reply.length) holders.push({ ...participant(), fencingToken: next() });
  return {
    name,
    state: closed === '1' ? 'closed' : 'open',
    permits: cap === '' ? permits : Number(cap),
    available: closed === '1' ? 0 : free === '' ? permits : Math.max(0, Number(free)),
    waiters,
    holders,
  };
}

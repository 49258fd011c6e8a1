// The report of a once or a lazy, from the server's answers.

import { readReport, type ReportedSession } from './report.ts';

/** The common part of both reports. */
export interface RemoteAttemptsReport {
  readonly name: string;
  /** `idle`: no attempt runs, and none has succeeded. */
  readonly state: 'idle' | 'running' | 'done' | 'closed';
  /** The session that runs an initialiser. Absent if none does. */
  readonly runner?: ReportedSession;
  /** The waiters of all sessions. Waiters with an initialiser come first, in the order in which they will try. */
  readonly waiters: readonly (ReportedSession & { readonly hasInitialiser: boolean })[];
}

export interface RemoteOnceReport extends RemoteAttemptsReport {
  readonly kind: 'once';
}

export interface RemoteLazyReport extends RemoteAttemptsReport {
  readonly kind: 'lazy';
  /** The name of the codec with which this process created the lazy. */
  readonly codec: string;
  /** The maximum length of the value in bytes, for this process. */
  readonly capacity: number;
}

/** Reads the answer of `look`. */
export function reportOnce(name: string, reply: readonly string[]): RemoteAttemptsReport {
  const {
    state,
    holders: [holder],
    waiters,
  } = readReport(name, 1, reply);
  const open = holder === undefined ? 'idle' : 'running';
  return {
    name,
    state: reply[3] === 'done' ? 'done' : state === 'closed' ? 'closed' : open,
    ...(holder === undefined ? {} : { runner: { session: holder.session, label: holder.label } }),
    waiters: waiters.map(({ session, label, permits }) => ({ session, label, hasInitialiser: permits > 0 })),
  };
}

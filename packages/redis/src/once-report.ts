// What the server knows of a once.

import type { Participant, RemoteReport } from './report.ts';

export interface RemoteOnceReport {
  readonly kind: 'once';
  readonly name: string;
  /** `idle`: no attempt runs, and none has succeeded. */
  readonly state: 'idle' | 'running' | 'done' | 'closed';
  /** The session that runs an initialiser. Absent if none does. */
  readonly runner?: Omit<Participant, 'permits'>;
  /** The waiters of all sessions. Those that bring an initialiser come first, in the order in which they will try. */
  readonly waiters: readonly (Omit<Participant, 'permits'> & { readonly hasInitialiser: boolean })[];
}

export function reportOnce({ name, state, holders: [holder], waiters }: RemoteReport, isDone: boolean): RemoteOnceReport {
  const open = holder === undefined ? 'idle' : 'running';
  return {
    kind: 'once',
    name,
    state: isDone ? 'done' : state === 'closed' ? 'closed' : open,
    ...(holder === undefined ? {} : { runner: { session: holder.session, label: holder.label } }),
    waiters: waiters.map(({ session, label, permits }) => ({ session, label, hasInitialiser: permits > 0 })),
  };
}

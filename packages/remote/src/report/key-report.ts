// The report of a keyed mutex, from the server's answers.

import type { ReportedSession } from './report.ts';

/** A key that is in use. */
export interface RemoteKeyReport {
  readonly key: string;
  /** The session that holds the key. Absent while the key is being handed over. `fencingToken` is in decimal digits. */
  readonly holder?: ReportedSession & { readonly fencingToken: string };
  /** The number of callers that wait for the key, of all processes. */
  readonly waiting: number;
}

export interface RemoteKeyedMutexReport {
  readonly kind: 'keyed-mutex';
  readonly name: string;
  readonly keys: readonly RemoteKeyReport[];
}

/** Reads the answer of `keys`. */
export function readKeys(reply: readonly string[], prefix: string): RemoteKeyReport[] {
  const found: RemoteKeyReport[] = [];
  for (let at = 1; at + 4 < reply.length; at += 5) {
    const [name = '', waiting, session = '', label = '', token = ''] = reply.slice(at, at + 5);
    const holder = session === '' ? {} : { holder: { session, label, fencingToken: token } };
    found.push({ key: name.slice(prefix.length), ...holder, waiting: Number(waiting) });
  }
  return found;
}

// The value of one key of a cache, in the `done` of its line.
//
//   fresh until, kept until, version, a space behind each, the value
//
// The times are the wall clock in µs. The version is a fencing token: that of the grant under which the value was
// computed, or a new one. The mark of a cache is the version at which it was cleared: older values are gone.

import type { LineRecord } from './state.ts';

export interface StoredValue {
  readonly isFresh: boolean;
  readonly value: string;
}

const TEXT = /^(\d+) (\d+) (\d+) /;

export function valueText(freshUntil: number, keptUntil: number, version: number, value: string): string {
  return `${freshUntil} ${keptUntil} ${version} ${value}`;
}

/** Returns the value of a key, unless its time is over or it is older than `cleared`. */
export function valueOf(line: LineRecord | undefined, us: number, cleared: number): StoredValue | undefined {
  const done = line?.done;
  const [all, fresh, end, version] = (done === undefined ? null : TEXT.exec(done)) ?? [];
  if (done === undefined || all === undefined) return undefined;
  if (us >= Number(end) || Number(version) <= cleared) return undefined;
  return { isFresh: us < Number(fresh), value: done.slice(all.length) };
}

/** Returns the wall clock in µs after which the value may go. 0: there is none. */
export function endOf({ done }: LineRecord): number {
  return Number((done === undefined ? null : TEXT.exec(done))?.[2] ?? 0);
}

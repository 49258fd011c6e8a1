// The report of a namespace, from the server's answers: its sessions, what they hold and wait for, and the cycles among
// them.

import { MAX_PERMITS, plural, printable } from '@sluice/core/calls';
import { readReport, type ReportedSession } from './report.ts';
import { readGauge } from './rate-report.ts';
import { readSurvey } from './round-report.ts';
import { cyclesOf, type CycleWait } from './session-cycles.ts';
import type { RemoteUse } from './remote-use.ts';

/** A session of the namespace: one process that has connected. */
export interface SessionReport extends ReportedSession {
  /** The time in ms after which the session ends unless it renews its lease. */
  readonly leaseLeft: number;
}

export interface SpaceReport {
  readonly namespace: string;
  /** All sessions, the one whose lease ends first at the beginning. */
  readonly sessions: readonly SessionReport[];
  /** What the sessions hold or wait for, by kind and name. Primitives without holders and waiters are left out. */
  readonly primitives: readonly RemoteUse[];
  /**
   * Cycles in which each session waits for something that the next one holds. They are possible deadlocks: a process
   * has many tasks, and one that does not wait may release what another task waits for.
   */
  readonly cycles: readonly (readonly CycleWait[])[];
}

/** The server's answer to an operation with the name of a primitive. */
type Ask = (operation: 'look' | 'gauge' | 'survey', key: string) => Promise<readonly string[]>;

/** The letter before the name of each kind. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['s', 'Semaphore'],
  ['m', 'Mutex'],
  ['r', 'RwLock'],
  ['l', 'Limit'],
  ['c', 'Capacitor'],
  ['w', 'Places of Limit'],
  ['k', 'KeyedMutex'],
  ['n', 'KeyedLimit'],
  ['a', 'KeyedLimit'],
  ['v', 'SharedCache'],
  ['y', 'KeyedRateLimiter'],
  ['e', 'Leader'],
  ['t', 'RateLimiter'],
  ['o', 'Once'],
  ['z', 'Lazy'],
  ['j', 'Once'],
  ['d', 'CountdownLatch'],
  ['b', 'Barrier'],
]);
/** The number of questions under way at a time. */
const AT_ONCE = 64;

/**
 * Asks for every primitive that the answer of `sessions` names. The server answers one question after the other, so the report
 * is no snapshot of one moment: a hand-over in between can show two holders, or none.
 */
export async function readSpace(namespace: string, reply: readonly string[], ask: Ask): Promise<SpaceReport> {
  const { micros, sessions, keys } = readSessions(reply);
  const primitives: RemoteUse[] = [];
  for (let at = 0; at < keys.length; at += AT_ONCE) {
    const some = keys.slice(at, at + AT_ONCE);
    primitives.push(...(await Promise.all(some.map((key) => readPrimitive(key, micros, ask)))));
  }
  const used = primitives.filter(({ holders, waiters }) => holders.length + waiters.length > 0);
  return { namespace, sessions, primitives: used, cycles: cyclesOf(used) };
}

interface Sessions {
  /** The server's time in µs since 1970. */
  readonly micros: number;
  readonly sessions: readonly SessionReport[];
  /** The keys of all primitives that the sessions use. */
  readonly keys: readonly string[];
}

function readSessions(reply: readonly string[]): Sessions {
  const sessions: SessionReport[] = [];
  const keys = new Set<string>();
  for (let at = 2; at + 3 < reply.length; ) {
    const [session = '', label = '', left = '0', count = '0'] = reply.slice(at, at + 4);
    sessions.push({ session, label, leaseLeft: Number(left) });
    at += 4 + Number(count);
    for (const key of reply.slice(at - Number(count), at)) keys.add(key);
  }
  return { micros: Number(reply[1]), sessions, keys: [...keys].sort() };
}

async function readPrimitive(key: string, micros: number, ask: Ask): Promise<RemoteUse> {
  const letter = key.slice(0, 1);
  const kind = KINDS.get(letter) ?? letter;
  const name = 'knvy'.includes(letter) ? keyName(key.slice(2)) : key.slice(2);
  if (letter === 't' || letter === 'y')
    return { kind, name, holders: [], waiters: readGauge(await ask('gauge', key)).waiters };
  if (letter === 'd' || letter === 'b') {
    const { waiters, owners } = readSurvey(await ask('survey', key), 0);
    const claims =
      letter === 'b' ? [] : owners.map(({ n, ...owner }) => ({ ...owner, permits: n, heldFor: undefined }));
    return { kind, name, holders: claims, waiters: waiters.map((waiter) => ({ ...waiter, permits: 1 })) };
  }
  const { holders, waiters } = readReport(name, 0, await ask('look', key));
  return {
    kind,
    name,
    // A token is the server's time in µs at the grant, or a little more.
    holders: holders.map(({ fencingToken, ...holder }) => ({
      ...holder,
      heldFor: Math.max(0, Math.round((micros - Number(fencingToken)) / 1000)),
    })),
    waiters,
  };
}

/** Returns the name and the key of `LENGTH:NAME:KEY`. */
function keyName(text: string): string {
  const [, length = '', rest = ''] = /^(\d+):(.*)$/s.exec(text) ?? [];
  const size = Number(length);
  return `${rest.slice(0, size)}/${rest.slice(size + 1)}`;
}

/** Formats a report for people: what looks wrong first, then the primitives, then the sessions. */
export function formatSpaceReport({ namespace, sessions, primitives, cycles }: SpaceReport): string {
  const lines = [
    `Space '${namespace}': ${plural(sessions.length, 'session')}, ${plural(primitives.length, 'primitive')} in use`,
  ];
  for (const cycle of cycles) {
    lines.push('', 'Sessions that wait for each other (a possible deadlock):');
    for (const { label, session, waitsFor, heldBy } of cycle)
      lines.push(
        `  ${titleOf(label, session)} waits for ${waitsFor.kind} '${printable(waitsFor.name)}', held by ${heldBy}`,
      );
  }
  for (const { kind, name, holders, waiters } of primitives) {
    lines.push('', `${kind} '${printable(name)}'`);
    for (const { label, session, permits, heldFor } of holders)
      lines.push(
        `  held by ${titleOf(label, session)}${several(permits)}${heldFor === undefined ? '' : ` for ${heldFor} ms`}`,
      );
    for (const [place, { label, session, permits }] of waiters.slice(0, SHOWN).entries())
      lines.push(`  ${place + 1}. ${titleOf(label, session)} waits${several(permits)}`);
    if (waiters.length > SHOWN) lines.push(`  and ${plural(waiters.length - SHOWN, 'more waiter')}`);
  }
  lines.push('', 'Sessions');
  for (const { label, session, leaseLeft } of sessions)
    lines.push(`  ${titleOf(label, session)}: ${leaseLeft} ms of its lease are left`);
  return `${lines.join('\n')}\n`;
}

const SHOWN = 10;

/** A writer takes all permits of its lock. */
const several = (permits: number): string =>
  permits === 1 ? '' : permits === MAX_PERMITS ? ' (to write)' : ` (${permits} permits)`;

const titleOf = (label: string, session: string): string =>
  label === '' ? session : `${printable(label)} (${session})`;

// Findings about a process whose threads call Atomics.wait. Each is a few lines of text, the worst first.
//
// Loads and stores are not seen, so the holder of a lock that a program has built of words is not known. Two things are
// certain: that a thread sleeps in Atomics.wait, and that no thread notifies a word if every thread of the process
// sleeps. "Likely" is what follows from the last change of a thread to a word (`takersFor`), for words that leave 0
// when they are taken, as locks do. "Possible" is the same for words that reach 0. Counters of permits do, but so do
// the flags of events.

import { duration, plural } from '@sluice/core/calls';
import type { ThreadSnapshot, ThreadWait } from './process-snapshot.ts';
import { frameText, isInstalled, shortened, type SnapshotReading } from './snapshot-reading.ts';

/** The lines of one finding. */
export type ProcessFinding = readonly string[];

/** The most threads that a finding lists. */
const MAX_LISTED = 6;

export function findingsIn(reading: SnapshotReading): ProcessFinding[] {
  const { snapshot } = reading;
  const living = snapshot.threads.filter(({ state }) => state !== 'ended');
  const waiting = living.filter((thread) => reading.waitOf(thread) !== undefined);
  const cycles = cyclesIn(reading, waiting);
  const isDead = isDeadlocked(reading, living);
  const named = new Set(cycles.flat().map(({ index }) => index));
  const all: ProcessFinding[] = [
    ...(isDead ? [allWait(reading, waiting, cycles)] : cycles.map((cycle) => cycleFinding(reading, cycle))),
    ...deadTakers(reading, waiting, named),
    ...changedWords(reading, waiting, named),
    ...stalledLoops(reading),
    ...notStarted(reading, living),
  ];
  if (isDead) for (const { index } of waiting) named.add(index);
  return [...all, ...otherWaits(reading, waiting, named)];
}

/** Whether every thread of the process sleeps in Atomics.wait without a timeout, so that no thread can notify a word. */
function isDeadlocked(reading: SnapshotReading, living: readonly ThreadSnapshot[]): boolean {
  const sleeps = (thread: ThreadSnapshot): boolean => reading.waitOf(thread)?.isTimed === false;
  return living.length > 0 && reading.snapshot.untrackedWorkers === 0 && living.every(sleeps);
}

function allWait(
  reading: SnapshotReading,
  waiting: readonly ThreadSnapshot[],
  cycles: readonly (readonly ThreadSnapshot[])[],
): string[] {
  const [only, ...others] = waiting;
  const inCycles = cycles.flat();
  const rest = waiting.filter((thread) => !inCycles.includes(thread));
  const head =
    others.length === 0
      ? `Deadlock: the only thread of the process, the ${only?.title ?? ''}, waits, and no thread is left to notify it.`
      : `Deadlock: all ${waiting.length} threads of the process wait, and none is left to notify one.`;
  const lines = [
    ...cycles.flatMap((cycle) => cycleLines(reading, cycle)),
    ...rest.map((each) => waitLine(reading, each)),
  ];
  return [head, ...cut(lines, waiting.length)];
}

/** "  thread 2 (resizer) waits for word 1 for 2.1 s". */
function waitLine(reading: SnapshotReading, thread: ThreadSnapshot): string {
  const wait = reading.waitOf(thread);
  if (wait === undefined) return `  ${thread.title} does not wait`;
  return `  ${thread.title} waits for ${reading.word(wait.word)}${reading.placeText(thread)}${reading.age(wait.since)}`;
}

function cut(lines: readonly string[], total: number): string[] {
  return lines.length <= MAX_LISTED
    ? [...lines]
    : [...lines.slice(0, MAX_LISTED), `  and ${plural(total - MAX_LISTED, 'more thread')}`];
}

/** Returns shortest cycles of threads, each of which waits for a word that the next one has probably taken. */
function cyclesIn(reading: SnapshotReading, waiting: readonly ThreadSnapshot[]): ThreadSnapshot[][] {
  const next = new Map(
    waiting.map((thread) => {
      const wait = reading.waitOf(thread);
      const takers = wait === undefined || wait.isSluice ? [] : reading.takersFor(wait);
      return [thread, takers.filter((taker) => waiting.includes(taker))];
    }),
  );
  const cycles: ThreadSnapshot[][] = [];
  const done = new Set<ThreadSnapshot>();
  for (const first of waiting) {
    const cycle = done.has(first) ? undefined : cycleThrough(first, next);
    if (cycle === undefined) continue;
    cycles.push(cycle);
    for (const thread of cycle) done.add(thread);
  }
  return cycles;
}

/** Searches breadth first, so the cycle is a shortest one. */
function cycleThrough(
  first: ThreadSnapshot,
  next: ReadonlyMap<ThreadSnapshot, readonly ThreadSnapshot[]>,
): ThreadSnapshot[] | undefined {
  const from = new Map<ThreadSnapshot, ThreadSnapshot>();
  let edge = [first];
  while (edge.length > 0) {
    const further: ThreadSnapshot[] = [];
    for (const thread of edge) {
      for (const taker of next.get(thread) ?? []) {
        if (taker === first) return pathTo(thread, first, from);
        if (from.has(taker)) continue;
        from.set(taker, thread);
        further.push(taker);
      }
    }
    edge = further;
  }
  return undefined;
}

function pathTo(
  last: ThreadSnapshot,
  first: ThreadSnapshot,
  from: ReadonlyMap<ThreadSnapshot, ThreadSnapshot>,
): ThreadSnapshot[] {
  const path = [last];
  for (let thread = last; thread !== first; ) {
    thread = from.get(thread) ?? first;
    path.unshift(thread);
  }
  return path;
}

function cycleFinding(reading: SnapshotReading, cycle: readonly ThreadSnapshot[]): string[] {
  const isLikely = cycle.every((thread) => reading.waitOf(thread)?.value !== 0);
  const who = `${cycle.length} threads wait for each other`;
  return [`${isLikely ? 'Likely' : 'Possible'} deadlock: ${who}.`, ...cut(cycleLines(reading, cycle), cycle.length)];
}

function cycleLines(reading: SnapshotReading, cycle: readonly ThreadSnapshot[]): string[] {
  return cycle.map((thread, at) => {
    const before = cycle.at(at - 1) ?? thread;
    const taken = reading.word(reading.waitOf(before)?.word ?? '');
    return waitLine(reading, thread).replace(' waits for ', ` took ${taken} and waits for `);
  });
}

/** Words that a thread took before it ended. */
function deadTakers(
  reading: SnapshotReading,
  waiting: readonly ThreadSnapshot[],
  named: Set<number>,
): ProcessFinding[] {
  const behind = new Map<ThreadSnapshot, ThreadSnapshot[]>();
  for (const thread of waiting) {
    const wait = reading.waitOf(thread);
    if (wait === undefined || wait.isSluice) continue;
    const takers = reading.takersFor(wait);
    const [dead] = takers.filter(({ state }) => state === 'ended');
    if (dead === undefined || takers.some(({ state }) => state !== 'ended')) continue;
    behind.set(dead, [...(behind.get(dead) ?? []), thread]);
    named.add(thread.index);
  }
  return [...behind].map(([dead, threads]) => {
    const words = [...new Set(threads.map((thread) => reading.word(reading.waitOf(thread)?.word ?? '')))];
    return [
      `Likely dead holder: ${dead.title} has ended. It took ${words.join(', ')}, and did not notify it.`,
      ...cut(
        threads.map((thread) => waitLine(reading, thread)),
        threads.length,
      ),
    ];
  });
}

/** Waits for words that have another value by now: a notify would end them. */
function changedWords(
  reading: SnapshotReading,
  waiting: readonly ThreadSnapshot[],
  named: Set<number>,
): ProcessFinding[] {
  return waiting.flatMap((thread): ProcessFinding[] => {
    const wait = reading.waitOf(thread);
    const now = reading.valueNow(thread);
    if (wait === undefined || wait.isSluice || now === undefined || now === wait.value) return [];
    named.add(thread.index);
    return [
      [
        `Missing notify: ${thread.title} waits for ${reading.word(wait.word)} while it is ${wait.value}. It is ${now} now.`,
        waitLine(reading, thread),
        `  A notify would end the wait. As far as is known, ${lastNotify(reading, wait)}.`,
      ],
    ];
  });
}

/** "no thread has notified it", "thread 2 (resizer) notified it last, 2.1 s ago". */
export function lastNotify(reading: SnapshotReading, { word }: ThreadWait): string {
  const notifies = reading.usesOf(word).filter(({ use }) => use.notifies > 0);
  const [last] = [...notifies].sort((a, b) => b.use.notified - a.use.notified);
  if (last === undefined) return 'no thread has notified it';
  const { thread, use } = last;
  return `${thread.title} notified it last, ${duration(reading.snapshot.now - use.notified)} ago, and woke ${plural(use.woken, 'wait')} so far`;
}

/** Event loops that have not turned for long, in threads that do not wait. */
function stalledLoops(reading: SnapshotReading): ProcessFinding[] {
  const { threads, stalledSince, stacks, now, after } = reading.snapshot;
  return threads.flatMap((thread): ProcessFinding[] => {
    const since = stalledSince.get(thread.index);
    if (since === undefined || now - since < after || reading.waitOf(thread) !== undefined) return [];
    const frames = stacks.get(thread.id)?.frames;
    const [first, ...others] = frames ?? [];
    return [
      [
        `Busy: the event loop of ${thread.title} has not turned${reading.age(since)}.`,
        first === undefined
          ? '  The thread is in a call of the operating system or of native code.'
          : `  It runs in ${frameText(first)}`,
        ...others.slice(0, 2).map((frame) => `    called by ${frameText(frame)}`),
      ],
    ];
  });
}

/** Workers whose programs have not begun. */
function notStarted(reading: SnapshotReading, living: readonly ThreadSnapshot[]): ProcessFinding[] {
  const { now, after, threads } = reading.snapshot;
  return living
    .filter(({ state, started }) => state === 'starting' && now - started > after)
    .map((thread) => {
      const parent = threads.find(({ index }) => index === thread.parent);
      return [
        `Not started: ${thread.title} was created ${duration(now - thread.started)} ago and has not begun to run.`,
        `  ${parent === undefined ? 'A thread' : parent.title} created it${thread.createdAt === '' ? '' : `: ${shortened(thread.createdAt)}`}.`,
      ];
    });
}

/** Old waits of which nothing else is known. */
function otherWaits(
  reading: SnapshotReading,
  waiting: readonly ThreadSnapshot[],
  named: ReadonlySet<number>,
): ProcessFinding[] {
  const { now, after } = reading.snapshot;
  const old = waiting
    .filter(({ index, wait }) => !named.has(index) && wait !== undefined && now - wait.since >= after)
    .sort((a, b) => Number(isOfPackage(reading, a)) - Number(isOfPackage(reading, b)));
  const byWord = new Map<string, ThreadSnapshot[]>();
  for (const thread of old) {
    const { word } = reading.waitOf(thread) ?? { word: '' };
    byWord.set(word, [...(byWord.get(word) ?? []), thread]);
  }
  return [...byWord].map(([, threads], at) => {
    const [first] = threads;
    const wait = first === undefined ? undefined : reading.waitOf(first);
    if (first === undefined || wait === undefined) return [];
    const who = threads.length === 1 ? `${first.title} waits` : `${threads.length} threads wait`;
    const lines = cut(
      threads.map((thread) => waitLine(reading, thread)),
      threads.length,
    );
    const isNotified = reading.usesOf(wait.word).some(({ use }) => use.notifies > 0);
    if (!wait.isSluice && !isNotified && !isOfPackage(reading, first) && reading.takersFor(wait).length === 0)
      return [
        `Never notified: ${who} for ${reading.word(wait.word)}, and no thread has called Atomics.notify on it.`,
        ...lines,
        // A page with many such waits says it once.
        ...(at > 0 ? [] : [hint(reading, first, wait)]),
      ];
    return [
      `Waiting: ${who} for ${reading.word(wait.word)}. ${wait.isSluice ? 'Its report is below.' : sentence(`${takerText(reading, wait)}${lastNotify(reading, wait)}.`)}`,
      ...lines,
    ];
  });
}

/** "  The word still is 0, as when the wait began. The wait ends when a thread notifies word 1: …". */
function hint(reading: SnapshotReading, thread: ThreadSnapshot, { value, word }: ThreadWait): string {
  const same = reading.valueNow(thread) === value ? `The word still is ${value}, as when the wait began. ` : '';
  return `  ${same}The wait ends when a thread notifies ${reading.word(word)}: look for the code that should do so.`;
}

/** Whether the wait is one of a package's own, such as that of an idle worker of a pool. */
function isOfPackage({ snapshot }: SnapshotReading, { id }: ThreadSnapshot): boolean {
  const [frame] = snapshot.stacks.get(id)?.frames ?? [];
  return frame !== undefined && isInstalled(frame);
}

/** "thread 3 (resizer) took it last, as far as is known; ". */
function takerText(reading: SnapshotReading, wait: ThreadWait): string {
  const [taker] = reading.takersFor(wait);
  return taker === undefined ? '' : `${taker.title} took it last, as far as is known; `;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

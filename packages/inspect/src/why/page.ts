// The page about a process: what looks wrong, then each wait, each word that was named, and each thread.

import { plural, duration, printable } from '@sluice/core/calls';
import type { AnsweredWait } from './answers.ts';
import { findingsIn, lastNotify } from './process-findings.ts';
import { wordIn, type ThreadSnapshot, type ProcessSnapshot } from './process-snapshot.ts';
import { frameText, SnapshotReading, shortened } from './snapshot-reading.ts';

/** The most waits and threads that a section lists. */
const MAX_LISTED = 20;
const FRAMES = 4;

const UNSEEN = [
  'Not seen',
  '  Loads and stores of words, and what WebAssembly does to them. Waits in other realms (node:vm). Child processes have pages of their own.',
];

/** Returns the page. */
export function pageOf(snapshot: ProcessSnapshot): string {
  const reading = new SnapshotReading(snapshot);
  const findings = findingsIn(reading).flat();
  const sections = [
    findings.length > 0 ? cut(findings) : [nothing(snapshot)],
    waits(reading),
    words(reading),
    threads(reading),
    UNSEEN,
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

function nothing({ isIdle, after }: ProcessSnapshot): string {
  return isIdle
    ? `The process does nothing for ${duration(after)}, and does not exit. "Threads" lists what keeps each event loop alive.`
    : 'Nothing looks stuck: every event loop turns, and no wait is old.';
}

function cut(lines: readonly string[], most = MAX_LISTED): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `  and ${plural(lines.length - most, 'more line')}`];
}

function waits(reading: SnapshotReading): string[] {
  const { threads: all, stacks } = reading.snapshot;
  const lines = [...all]
    .filter(({ wait }) => wait !== undefined)
    .sort((a, b) => (a.wait?.since ?? 0) - (b.wait?.since ?? 0))
    .flatMap((thread) => {
      const wait = reading.waitOf(thread);
      if (wait === undefined) return [];
      const timed = wait.isTimed ? ', with a timeout' : '';
      const frames = (stacks.get(thread.id)?.frames ?? []).slice(0, FRAMES);
      return [
        `  ${thread.title}: ${reading.word(wait.word)}${reading.age(wait.since)}${timed}`,
        ...(frames.length === 0 ? ['    no stack: the thread was not paused in time'] : []),
        ...frames.map((frame) => `    ${frameText(frame)}`),
      ];
    });
  return lines.length === 0 ? [] : ['Waits in Atomics.wait', ...cut(lines, MAX_LISTED * 2)];
}

/** The words that the page has named: where they are, what they were and are, and which threads used them. */
function words(reading: SnapshotReading): string[] {
  const { threads: all, stacks } = reading.snapshot;
  const lines = [...reading.named].flatMap(([word, number]) => {
    const waiter = all.find((thread) => reading.waitOf(thread)?.word === word);
    const wait = waiter === undefined ? undefined : reading.waitOf(waiter);
    const now = waiter === undefined ? undefined : reading.valueNow(waiter);
    const bytes = waiter === undefined ? undefined : stacks.get(waiter.id)?.word?.bytes;
    const where =
      wait === undefined
        ? ''
        : ` byte ${wait.at} of a buffer${bytes === undefined ? '' : ` of ${plural(bytes, 'byte')}`}`;
    const value = now === undefined ? '' : `, ${now} now`;
    const takers =
      wait === undefined ? [] : reading.takersFor(wait).map(({ title }) => `    probably taken by ${title}`);
    return [
      `  word ${number}:${where}${value}`,
      ...takers,
      ...(wait === undefined ? [] : [`    ${lastNotify(reading, wait)}`]),
    ];
  });
  return lines.length === 0 ? [] : ['Words', ...cut(lines, MAX_LISTED * 2)];
}

function threads(reading: SnapshotReading): string[] {
  const { threads: all, answers } = reading.snapshot;
  const shown = all.filter(({ state, uses }) => state !== 'ended' || uses.some(({ change }) => change !== 0));
  const lines = shown
    .slice(0, MAX_LISTED)
    .flatMap((thread) => [
      `  ${thread.title}: ${stateText(reading, thread)}`,
      ...(thread.createdAt === '' ? [] : [`    created by ${shortened(thread.createdAt)}`]),
      ...(answers.get(thread.index)?.keepsAlive ?? []).map((line) => `    kept alive by ${shortened(printable(line))}`),
      ...(answers.get(thread.index)?.waits ?? []).slice(0, FRAMES).flatMap((wait) => asyncWait(reading, wait)),
    ]);
  const more = shown.length - MAX_LISTED;
  const { untrackedWorkers } = reading.snapshot;
  return [
    'Threads',
    ...lines,
    ...(more > 0 ? [`  and ${plural(more, 'more thread')}`] : []),
    ...(untrackedWorkers === undefined || untrackedWorkers === 0
      ? []
      : [`  and ${plural(untrackedWorkers, 'worker')} that ran before this tool`]),
  ];
}

function stateText({ snapshot }: SnapshotReading, thread: ThreadSnapshot): string {
  const { now } = snapshot;
  if (thread.state === 'ended') return 'has ended';
  if (thread.state === 'starting') return `created ${duration(now - thread.started)} ago, not started yet`;
  const since = snapshot.stalledSince.get(thread.index);
  if (thread.wait !== undefined) return 'sleeps in Atomics.wait';
  if (since !== undefined) return `its event loop has not turned for ${duration(now - since)}`;
  return 'its event loop turns';
}

function asyncWait(reading: SnapshotReading, { buffer, at, since, stack }: AnsweredWait): string[] {
  const what = buffer === 0 ? `byte ${at} of a buffer` : reading.word(wordIn(buffer, at));
  const [place] = stack.filter((line) => !/\bnode:/.test(line));
  return [
    `    awaits ${what} (Atomics.waitAsync)${reading.age(since)}${place === undefined ? '' : ` ${shortened(printable(place))}`}`,
  ];
}

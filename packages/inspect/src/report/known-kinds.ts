// What reports say of the kinds of this library, for a thread that has not loaded their packages.
//
// A block has the short name of its kind. All else about a kind is in its package. A thread that only looks at an
// arena, such as the watchdog's, has loaded no such package.

import { kindCode, type WaitEnd } from '@sluice/core/internal';
import type { KindFacts } from '@sluice/core/report';

/** The titles by the short names. A lock that names its owner is a 'lock' to every thread. */
const TITLES: Readonly<Record<string, string>> = {
  barri: 'barrier',
  broad: 'broadcast',
  buf: 'buffer',
  bufl: 'buffer',
  cap: 'capacitor',
  capov: 'capacitor',
  cond: 'condition',
  evcnt: 'event count',
  event: 'event',
  lane: 'capacitor',
  laned: 'capacitor',
  latch: 'latch',
  lazy: 'lazy',
  lifo: 'lock',
  manua: 'event',
  mcs: 'lock',
  mutex: 'lock',
  once: 'once',
  prio: 'semaphore',
  recip: 'lock',
  remux: 'lock',
  rw: 'lock',
  rww: 'lock',
  sema: 'semaphore',
  seque: 'sequencer',
  seqlk: 'seq-lock',
  sized: 'semaphore',
  ticke: 'lock',
  tts: 'lock',
  turn: 'capacitor',
  watch: 'watch cell',
};

/** The first of a buffer's lines in which agents wait. From this line on, every second line is one of producers. */
const FIRST_OF_BUFFER = 3;

function endOfBufferWait(line: number): WaitEnd | undefined {
  if (line < FIRST_OF_BUFFER) return undefined;
  return line % 2 === FIRST_OF_BUFFER % 2
    ? { what: 'room', verb: 'takes from', lines: [FIRST_OF_BUFFER + 1] }
    : { what: 'values', verb: 'adds to', lines: [FIRST_OF_BUFFER] };
}

/** Bits of the low and of the high half of an RwLock's word: agents inside, and three flags. */
const RW_INSIDE = 0x1f_ffff;
const RW_FREE = 0x800_0000;
const RW_SUCCESSOR = 0x1000_0000;
const RW_DUE = 0x4000_0000;

/** Whether the writer that comes next still competes. If not, the lock is being handed to that writer. */
function nextWriterCompetes(low: number, high: number): boolean {
  const isHanded = (low & RW_INSIDE) === 0 && (high & (RW_FREE | RW_DUE)) === (RW_FREE | RW_DUE);
  return (high & RW_SUCCESSOR) !== 0 && !isHanded;
}

/** The facts of a kind whose waits any agent may end. The arena does not list the agents that will. */
function endedBySome(verb: string): Omit<KindFacts, 'title'> {
  const end: WaitEnd = { what: '', verb, lines: [] };
  return { endedBy: () => end };
}

/** The kinds of semaphores whose waiters stand in several lines, for the same permits. */
const OF_SEVERAL_LINES: ReadonlySet<number> = /* @__PURE__ */ new Set(['prio', 'sema'].map(kindCode));

/** Whether the waits in all lines of a block of that kind are for the permits of the block. */
export function sharesPermits(code: number): boolean {
  return OF_SEVERAL_LINES.has(code);
}

/** Further facts of some kinds. */
const MORE: Readonly<Record<string, Omit<KindFacts, 'title'>>> = {
  barri: endedBySome('arrives at'),
  buf: { endedBy: endOfBufferWait },
  cond: endedBySome('notifies'),
  evcnt: endedBySome('advances'),
  event: endedBySome('sets'),
  latch: endedBySome('counts down'),
  manua: endedBySome('sets'),
  rww: { competes: nextWriterCompetes },
  seque: endedBySome('advances'),
  watch: endedBySome('sets'),
};

let facts: ReadonlyMap<number, { readonly kind: KindFacts }> | undefined;

/** Returns what is known of a kind of this library, by its code. */
export function knownKind(code: number): { readonly kind: KindFacts } | undefined {
  facts ??= new Map(
    Object.entries(TITLES).map(([name, title]) => [kindCode(name), { kind: { title, ...MORE[name] } }]),
  );
  return facts.get(code);
}

/** Returns a kind that a thread has loaded, with what only this package knows of it. */
export function completed(code: number, { kind }: { readonly kind: KindFacts }): { readonly kind: KindFacts } {
  return { kind: { ...knownKind(code)?.kind, ...kind } };
}

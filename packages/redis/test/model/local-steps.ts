// Random steps for two engines, and the comparison of their answers and messages.

import { decodeState, emptyState, encodeState, onlyReads, runStep, shapeOf, type State } from '@sluice/remote/steps';

/** What one step did: its answer, and the messages that it sent, sorted. */
export interface Outcome {
  readonly reply: readonly string[];
  readonly messages: readonly string[];
}

export type Run = (ms: number, words: readonly string[]) => Outcome | Promise<Outcome>;

/** The steps in TypeScript, with a state that goes through its text now and then. */
export class LocalSteps {
  #state: State = emptyState();
  #runs = 0;

  readonly run: Run = (ms, words) => {
    const shaped = shapeOf(words);
    if (typeof shaped === 'string') throw new Error(`${shaped}: ${words.join(' ')}`);
    const us = ms * 1000;
    if (++this.#runs % 16 === 0) this.#state = decodeState(encodeState(this.#state, us));
    const before = onlyReads(this.#state, us, shaped) ? encodeState(this.#state, us) : undefined;
    const messages: string[] = [];
    const reply = runStep(this.#state, (session, text) => messages.push(`${session} ${text}`), us, 'process', shaped);
    if (before !== undefined && before !== encodeState(this.#state, us)) throw new Error(`${words.join(' ')} writes`);
    return { reply, messages: messages.sort() };
  };
}

const LEASE = 1000;
const RATE = '0 1600000 0 1';

interface Line {
  readonly name: string;
  readonly size: number;
  readonly rest: string;
  readonly kind: 'line' | 'rate' | 'signal' | 'once' | 'latch' | 'barrier' | 'value';
}

const LINES: readonly Line[] = [
  { name: 's:slots', size: 3, rest: '0 0 0 0', kind: 'line' },
  { name: 'm:lock', size: 1, rest: '1 0 0 0', kind: 'line' },
  { name: 'l:starts', size: 2, rest: '0 700 2 0', kind: 'line' },
  { name: 'k:1:x:key', size: 1, rest: '0 0 0 0', kind: 'line' },
  { name: 'n:1:x:key', size: 2, rest: '0 0 0 0', kind: 'line' },
  { name: 'y:1:x:key', size: 3, rest: '0 1600000 0 1', kind: 'rate' },
  { name: 'v:1:x:one', size: 1, rest: 'x:1:x', kind: 'value' },
  { name: 'v:1:x:two', size: 1, rest: 'x:1:x', kind: 'value' },
  { name: 's:signal', size: 0, rest: '0 0 0 1', kind: 'signal' },
  { name: 't:rate', size: 4, rest: RATE, kind: 'rate' },
  { name: 'o:once', size: 1, rest: '0 0 0 0', kind: 'once' },
  { name: 'd:latch', size: 2, rest: 'count', kind: 'latch' },
  { name: 'b:barrier', size: 2, rest: 'parties', kind: 'barrier' },
];

/** A call that a session has made at a line, which may wait, hold, or have ended. */
interface Made {
  readonly line: Line;
  readonly seq: number;
  readonly n: number;
}

interface Caller {
  id: string;
  generation: number;
  seq: number;
  made: Made[];
}

/** A generator of pseudo-random numbers (mulberry32). */
export function generator(seed: number): (below: number) => number {
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export class RandomSteps {
  readonly #below: (limit: number) => number;
  readonly #callers: Caller[] = [];
  #named = 0;
  ms = 1_000_000;

  constructor(seed: number) {
    this.#below = generator(seed);
  }

  /** The next step. */
  next(): string[] {
    this.ms += this.#below(8) === 0 ? this.#below(450) : this.#below(60);
    if (this.#callers.length < 3) return this.#attach();
    const caller = this.#callers[this.#below(this.#callers.length)] as Caller;
    const kind = this.#below(40);
    if (kind === 0) return this.#attach(caller);
    if (kind === 1) {
      this.#callers.splice(this.#callers.indexOf(caller), 1);
      return ['detach', caller.id, String(caller.generation)];
    }
    if (kind === 2) caller.generation++;
    // Half of the steps are heartbeats, so that most sessions live.
    if (kind < 12) return this.#beat(caller);
    if (kind < 16) return this.#look(caller);
    return kind < 28 ? this.#take(caller) : this.#give(caller);
  }

  #words(caller: Caller, operation: string, ...args: (string | number)[]): string[] {
    return [operation, caller.id, String(caller.generation), ...args.map(String)];
  }

  #attach(former?: Caller): string[] {
    const id = `session${++this.#named}`;
    const caller: Caller = { id, generation: 1, seq: 0, made: [] };
    if (former !== undefined) this.#callers.splice(this.#callers.indexOf(former), 1);
    this.#callers.push(caller);
    const rest = former === undefined ? [] : [former.id];
    return this.#words(caller, 'attach', LEASE, `label of ${id}`, '3', ...rest);
  }

  #beat(caller: Caller): string[] {
    const entries = caller.made.flatMap(({ line, seq, n }) => {
      if (line.kind === 'rate') return [line.name, seq, n, 0];
      return [line.name, seq, line.kind === 'barrier' || line.kind === 'latch' ? n % 2 : n, this.#below(2)];
    });
    return this.#words(caller, 'beat', LEASE, ...entries);
  }

  #look(caller: Caller): string[] {
    const line = LINES[this.#below(LINES.length)] as Line;
    if (line.kind === 'value') return this.#words(caller, 'peek', line.name, line.rest);
    if (line.kind === 'latch' || line.kind === 'barrier') return this.#words(caller, 'survey', line.name);
    if (line.kind === 'rate') return this.#words(caller, 'gauge', line.name);
    if (line.name.startsWith('k:')) return this.#words(caller, 'keys', 'k:1:x:');
    const choice = this.#below(8);
    if (choice === 0) return this.#words(caller, 'sessions');
    return choice < 3 ? this.#words(caller, 'mine') : this.#words(caller, 'look', line.name);
  }

  #take(caller: Caller): string[] {
    const line = LINES[this.#below(LINES.length)] as Line;
    const seq = ++caller.seq;
    const waits = this.#below(4) === 0 ? 0 : 1;
    const n = line.kind === 'once' ? this.#below(2) : 1 + this.#below(Math.max(1, Math.min(2, line.size)));
    if (line.kind === 'latch' || line.kind === 'barrier') {
      const acts = line.kind === 'barrier' ? this.#below(2) : 0;
      caller.made.push({ line, seq, n: acts });
      const seen = this.#below(10) === 0 && line.kind === 'barrier' ? this.#below(9) : 0;
      return this.#words(caller, 'arrive', line.name, seq, waits, acts, seen, line.size, line.rest);
    }
    if (line.kind === 'value') {
      if (this.#below(6) === 0) {
        const [fresh, stale] = [1 + this.#below(400), this.#below(400)];
        return this.#words(caller, 'put', line.name, fresh, stale, `put ${seq}`);
      }
      caller.made.push({ line, seq, n: 1 });
      return this.#words(caller, 'fetch', line.name, seq, 1, waits, this.#below(2), line.rest);
    }
    if (line.name.startsWith('y:') && this.#below(3) > 0) {
      const size = this.#below(30) === 0 ? line.size + 1 : line.size;
      return this.#words(caller, 'draw', line.name, n, size, line.rest);
    }
    const permits = line.kind === 'rate' && this.#below(3) === 0 ? n + 2 ** 31 : n;
    caller.made.push({ line, seq, n: permits });
    const operation = line.kind === 'once' ? 'attempt' : 'acquire';
    // Now and then a process disagrees about the size.
    const size = line.kind !== 'once' && this.#below(30) === 0 ? line.size + 1 : line.size;
    return this.#words(caller, operation, line.name, seq, permits, waits, size, line.rest);
  }

  #give(caller: Caller): string[] {
    const made = caller.made[this.#below(Math.max(1, caller.made.length))];
    if (made === undefined) return this.#beat(caller);
    const { line, seq, n } = made;
    const choice = this.#below(10);
    // Half of the calls are made again: their replies were lost.
    if (choice < 6 && this.#below(2) === 0) caller.made.splice(caller.made.indexOf(made), 1);
    if (line.kind === 'latch') return this.#change(caller, line, choice < 5 ? 'count' : 'claim');
    if (line.kind === 'barrier') {
      if (choice < 3) return this.#words(caller, 'tripped', line.name, seq, this.#below(2));
      if (choice < 6) return this.#words(caller, 'cancel', line.name, seq, n);
      const what = ['claim', 'register', 'deregister', 'abort', 'mend', 'reset', 'mend', 'mend'][this.#below(8)] ?? '';
      return this.#change(caller, line, what);
    }
    if (line.kind === 'value' && choice > 3) {
      if (choice < 8) {
        const [fresh, stale] = [1 + this.#below(400), this.#below(400)];
        return this.#words(caller, 'keep', line.name, seq, line.rest, fresh, stale, `value ${seq}`);
      }
      return choice === 8
        ? this.#words(caller, 'remove', line.name, line.rest)
        : this.#words(caller, 'clear', line.rest);
    }
    if (choice < 3) return this.#words(caller, 'cancel', line.name, seq, n);
    if (line.name.startsWith('y:') && choice > 5 && this.#below(2) === 0) {
      const block = this.#below(3) === 0 ? this.#below(300) : -1;
      return this.#words(caller, 'adjust', line.name, this.#below(5) - 2, block, line.size, line.rest);
    }
    if (line.kind === 'rate') {
      if (choice < 6) return this.#words(caller, 'unbook', line.name, seq);
      return choice < 8 ? this.#words(caller, 'settle', line.name, seq) : this.#words(caller, 'poke', line.name);
    }
    if (line.kind === 'signal' && choice < 8)
      return this.#words(caller, 'post', line.name, ++caller.seq, 1 + this.#below(2), 0, line.rest);
    if (line.kind === 'once' && choice === 7)
      return this.#words(caller, 'finish', line.name, seq, this.#below(2) === 0 ? '' : 'value');
    if (line.name === 'l:starts' && choice === 8) return this.#words(caller, 'poke', line.name);
    if (line.name === 's:slots' && choice === 9 && this.#below(4) === 0)
      return this.#words(caller, 'resize', line.name, 3, 3, line.rest);
    if (choice === 9 && line.kind !== 'value' && this.#below(12) === 0)
      return this.#words(caller, 'close', line.name, line.size, line.rest);
    const keeps = n > 1 && this.#below(3) === 0 ? 1 : 0;
    return this.#words(caller, 'release', line.name, seq, keeps);
  }

  #change(caller: Caller, line: Line, what: string): string[] {
    const n = what === 'count' ? this.#below(3) - 1 : 1 + this.#below(2);
    return this.#words(caller, 'change', line.name, ++caller.seq, what, n || 1, this.#below(2), line.size, line.rest);
  }
}

/** Words whose order has no meaning, or that one engine leaves out. */
function comparable([operation = '']: readonly string[], { reply, messages }: Outcome): string {
  const [first = '', ...rest] = reply;
  const parts = (size: number, from: number): string[] => {
    const all: string[] = [];
    for (let at = from; at < rest.length; at += size) all.push(rest.slice(at, at + size).join(' '));
    return [...rest.slice(0, from), ...all.sort()];
  };
  const words =
    operation === 'keys'
      ? parts(5, 0)
      : operation === 'mine'
        ? parts(3, 0)
        : operation === 'survey'
          ? parts(3, 6)
          : rest;
  // A rate that no session uses goes when it is full. The store does not remove keys.
  if (operation === 'gauge' && rest[2] === '0' && rest[4] === '0' && rest.length === 5) return 'full';
  if (first === 'posted') return JSON.stringify([first, messages]);
  return JSON.stringify([first, words, messages]);
}

/** Runs `steps` random steps on both engines. Returns the first difference, or ''. */
export async function compare(seed: number, steps: number, left: Run, right: Run): Promise<string> {
  const random = new RandomSteps(seed);
  const answers = new Map<string, number>();
  for (let i = 0; i < steps; i++) {
    const words = random.next();
    const a = comparable(words, await left(random.ms, words));
    const b = comparable(words, await right(random.ms, words));
    if (a !== b) return `seed ${seed}, step ${i}: ${words.join(' ')}\n  ${a}\n  ${b}`;
    const kind = `${words[0]} ${/\w+/.exec(a)?.[0] ?? ''}`;
    answers.set(kind, (answers.get(kind) ?? 0) + 1);
  }
  for (const [kind, n] of answers) seenAnswers.set(kind, (seenAnswers.get(kind) ?? 0) + n);
  return '';
}

/** How often each answer was given. */
export const seenAnswers = new Map<string, number>();

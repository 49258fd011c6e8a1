// The arenas that a view shows, and their frames. A frame is made at most as often as its costs allow, for all pages
// together.

import { messageOf } from '@sluice/core/calls';
import { AGENT_LEFT, AGENT_STATE, HEADER_AGENT_POOL } from '@sluice/core/format';
import { records, type Onlooker } from '@sluice/core/report';
import type { ArenaHandle } from '@sluice/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { onlookerOfHandle } from '../report/reader.ts';
import { MAX_FILTER, pauseAfter } from './frame-bounds.ts';
import type { Frame } from './frame.ts';
import { KnownLives } from './known-lives.ts';
import { readFrame } from './read-frame.ts';

interface Shown {
  readonly onlooker: Onlooker;
  /** Whether it stays when no agent is left in it. */
  readonly stays: boolean;
}

interface Made {
  readonly arena: string;
  readonly filter: string;
  readonly text: string;
  /** The time by the thread's clock, in ms, from which the next frame may be made. */
  readonly until: number;
}

export class ViewedArenas {
  readonly #program: string;
  readonly #now: () => number;
  readonly #arenas = new Map<string, Shown>();
  #made: Made | undefined;
  /** The ms of the last frames. */
  readonly #costs: number[] = [];

  /** `now`: a clock in ms. */
  constructor(program: string, now: () => number) {
    this.#program = program;
    this.#now = now;
  }

  /** Throws `HandleError`. */
  add(handle: ArenaHandle, stays: boolean): void {
    if (this.#arenas.has(handle.arena)) return;
    const read = onlookerOfHandle(handle);
    const lives = new KnownLives(read.words);
    this.#arenas.set(handle.arena, { onlooker: { ...read, knownLife: (record) => lives.of(record) }, stays });
  }

  /** Resolves with a frame as JSON. `id`: the arena to show. Default: the first one. */
  async frame(id: string, filter: string): Promise<string> {
    const cut = filter.slice(0, MAX_FILTER);
    for (;;) {
      const last = this.#made;
      const now = this.#now();
      if (last === undefined || now >= last.until) return this.#make(id, cut);
      if (last.arena === id && last.filter === cut) return last.text;
      // Only the server keeps the thread alive: after a stop no request waits for this frame.
      await sleep(last.until - now, undefined, { ref: false });
    }
  }

  #make(arena: string, filter: string): string {
    const began = this.#now();
    const rest = withoutDirections(JSON.stringify(this.#frame(arena, filter) satisfies Omit<Frame, 'every'>));
    this.#costs.push(this.#now() - began);
    if (this.#costs.length > COSTS) this.#costs.shift();
    // The shortest one: a longer one may include time in which the thread was not scheduled.
    const every = pauseAfter(Math.min(...this.#costs), this.#costs.length < COSTS);
    const text = `{"every":${Math.ceil(every)},${rest.slice(1)}`;
    this.#made = { arena, filter, text, until: began + every };
    return text;
  }

  #frame(id: string, filter: string): Omit<Frame, 'every'> {
    for (const [key, { onlooker, stays }] of this.#arenas)
      if (!stays && hasNoAgents(onlooker)) this.#arenas.delete(key);
    const arenas = [...this.#arenas.keys()];
    const ground = { program: this.#program, arenas };
    const chosen = this.#arenas.get(id) ?? this.#arenas.get(arenas[0] ?? '');
    if (chosen === undefined) return ground;
    try {
      return { ...ground, arena: readFrame(chosen.onlooker, filter) };
    } catch (failure) {
      return { ...ground, failure: messageOf(failure) };
    }
  }
}

/** The number of frames from which the cost of a frame is estimated. */
const COSTS = 5;

/** Characters that change the direction of the text around them, and control characters that JSON does not escape. */
const DIRECTIONS = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the JSON with these characters as escapes that a reader sees. */
function withoutDirections(json: string): string {
  return json.replaceAll(DIRECTIONS, (each) => `\\\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether no agent is left in an arena. An arena that cannot be read is kept: its page says why. */
function hasNoAgents({ words }: Onlooker): boolean {
  try {
    for (const { record, owner } of records(words, HEADER_AGENT_POOL))
      if (owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT) return false;
    return true;
  } catch {
    return false;
  }
}

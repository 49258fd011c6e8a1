// Looks at one arena from a thread that is no agent of it, and writes a page when waits are too old.

import { AGENT_LEFT, AGENT_STATE, HEADER_AGENT_POOL, messageOf, records } from '@sluice/core/internal';
import type { ArenaHandle } from '@sluice/core';
import type { Onlooker } from '@sluice/core/internal';
import { reportText } from './format-report.ts';
import { onlookerOfHandle } from './reader.ts';
import { stuckLines } from './stuck-wait.ts';
import { StuckWaits } from './stuck-waits.ts';
import { waitsIn, type SeenWait } from './waits.ts';
import { Index } from './wording.ts';

export interface LookoutOptions {
  /** ms. */
  readonly after: number;
  /** The most lines of each section of a report. */
  readonly lines: number;
  /** Whether an arena without agents is given up: a thread that joins it later tells of it again. */
  readonly isDesertable: boolean;
  write(text: string): void;
  /** Called when the arena is given up. */
  end(): void;
}

export class Lookout {
  readonly #options: LookoutOptions;
  readonly #id: string;
  readonly #onlooker: Onlooker;
  readonly #waits: StuckWaits;
  /** Waits that are too old and in no page yet. */
  #found: readonly SeenWait[] = [];
  /** The time of the last page, in ms of `parking.now`. */
  #last = -Infinity;
  #timer: ReturnType<typeof setTimeout>;

  /** Throws `HandleError`. */
  constructor(handle: ArenaHandle, options: LookoutOptions) {
    this.#options = options;
    this.#id = handle.arena;
    this.#onlooker = onlookerOfHandle(handle);
    this.#waits = new StuckWaits(options.after);
    this.#timer = setTimeout(() => this.#look(), 0);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  report(head: string): void {
    const { lines, write } = this.#options;
    this.#try(() => write(`${head}\n\n${reportText(this.#onlooker, lines)}`));
  }

  #look(): void {
    this.#try(() => {
      const onlooker = this.#onlooker;
      const { after, isDesertable, end } = this.#options;
      if (isDesertable && isDeserted(onlooker)) {
        end();
        return;
      }
      const { stuck, next } = this.#waits.look(() => waitsIn(onlooker), onlooker.parking.date());
      this.#found = [...this.#found, ...stuck];
      // At most one page within `after`: a program with many slow waits must not drown in them.
      const pause = Math.max(0, this.#last + after - onlooker.parking.now());
      if (this.#found.length > 0 && pause === 0) this.#page();
      this.#timer = setTimeout(() => this.#look(), this.#found.length > 0 ? Math.min(next, pause) : next);
    });
  }

  #page(): void {
    const { after, lines, write } = this.#options;
    const onlooker = this.#onlooker;
    const index = new Index(onlooker);
    const there = new Set(waitsIn(onlooker).map(({ key }) => key));
    // A dead agent waits for nothing. The report says that it is dead.
    const waits = this.#found.filter(({ key, agent }) => there.has(key) && !index.dead.has(agent));
    this.#found = [];
    if (waits.length === 0) return;
    this.#last = onlooker.parking.now();
    const head = stuckLines(waits, index, after, onlooker.parking.date()).join('\n');
    write(`${head}\n\n${reportText(onlooker, lines, index)}`);
  }

  /** Gives up an arena that cannot be read. The others are still watched. */
  #try(act: () => void): void {
    try {
      act();
    } catch (failure) {
      this.stop();
      this.#options.end();
      this.#options.write(`Arena ${this.#id} is no longer watched: ${messageOf(failure)}`);
    }
  }
}

/** Whether no agent is left in an arena. */
function isDeserted({ words }: Onlooker): boolean {
  for (const { record, owner } of records(words, HEADER_AGENT_POOL))
    if (owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT) return false;
  return true;
}

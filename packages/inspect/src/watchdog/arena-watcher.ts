// Looks at one arena from a thread that is no agent of it, and writes a page when waits are too old.

import { AGENT_LEFT, AGENT_STATE, HEADER_AGENT_POOL } from '@sluice/core/format';
import { messageOf } from '@sluice/core/calls';
import { records, type Onlooker } from '@sluice/core/report';
import type { ArenaHandle } from '@sluice/core';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pid } from 'node:process';
import { dumpOf } from '../dump/dump-arena.ts';
import { reportText } from '../report/format-report.ts';
import { onlookerOfHandle } from '../report/reader.ts';
import { stuckLines } from '../stuck/stuck-wait.ts';
import { StuckWaits } from '../stuck/stuck-waits.ts';
import { waitsIn, type SeenWait } from '../stuck/waits.ts';
import { SnapshotIndex } from '../report/snapshot-index.ts';

export interface ArenaWatcherOptions {
  /** ms. */
  readonly after: number;
  /** The most lines of each section of a report. */
  readonly lines: number;
  /** Whether an arena without agents is given up: a thread that joins it later tells of it again. */
  readonly endsWithoutAgents: boolean;
  /** The folder for dumps, if there are to be any. */
  readonly dumps?: string | undefined;
  readonly write: (text: string) => void;
  /** Called when the arena is given up. */
  readonly end: () => void;
}

export class ArenaWatcher {
  readonly #options: ArenaWatcherOptions;
  readonly #id: string;
  readonly #memory: ArenaHandle['memory'];
  readonly #onlooker: Onlooker;
  #dumps = 0;
  readonly #waits: StuckWaits;
  /** Waits that are too old and in no page yet. */
  #found: readonly SeenWait[] = [];
  /** The time of the last page, in ms of `parking.now`. */
  #last = -Infinity;
  #timer: ReturnType<typeof setTimeout>;

  /** Throws `HandleError`. */
  constructor(handle: ArenaHandle, options: ArenaWatcherOptions) {
    this.#options = options;
    this.#id = handle.arena;
    this.#memory = handle.memory;
    this.#onlooker = onlookerOfHandle(handle);
    this.#waits = new StuckWaits(options.after);
    this.#timer = setTimeout(() => this.#look(), 0);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  report(head: string): void {
    const { lines, write } = this.#options;
    this.#try(() => write(`${head}\n\n${reportText(this.#onlooker, lines)}${this.#dump()}`));
  }

  #look(): void {
    this.#try(() => {
      const onlooker = this.#onlooker;
      const { after, endsWithoutAgents, end } = this.#options;
      if (endsWithoutAgents && hasNoAgents(onlooker)) {
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
    const index = new SnapshotIndex(onlooker);
    const there = new Set(waitsIn(onlooker).map(({ key }) => key));
    // A dead agent waits for nothing. The report says that it is dead.
    const waits = this.#found.filter(({ key, agent }) => there.has(key) && !index.dead.has(agent));
    this.#found = [];
    if (waits.length === 0) return;
    this.#last = onlooker.parking.now();
    const head = stuckLines(waits, index, after, onlooker.parking.date()).join('\n');
    write(`${head}\n\n${reportText(onlooker, lines, index)}${this.#dump()}`);
  }

  /** Writes a dump, if there are to be any. Returns a line that says so. */
  #dump(): string {
    const { dumps } = this.#options;
    if (dumps === undefined) return '';
    this.#dumps += 1;
    const file = join(dumps, `sluice-${pid}-${this.#id}-${this.#dumps}.dump`);
    try {
      // Names of threads and primitives are for the program's user alone.
      writeFileSync(file, dumpOf(this.#onlooker, this.#memory, false), { mode: 0o600 });
      return `\n\nDump: ${file}`;
    } catch (failure) {
      return `\n\nNo dump: ${messageOf(failure)}`;
    }
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
function hasNoAgents({ words }: Onlooker): boolean {
  for (const { record, owner } of records(words, HEADER_AGENT_POOL))
    if (owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT) return false;
  return true;
}

// The thread of a watchdog. It needs no event loop but its own, and is no agent of the arenas that it reads.

import { AGENT_LEFT, AGENT_STATE, HEADER_AGENT_POOL, messageOf, records } from '@sluice/core/internal';
import type { ArenaHandle } from '@sluice/core';
import type { Onlooker } from '@sluice/core/internal';
import { pid } from 'node:process';
import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads';
import { reportText } from './format-report.ts';
import { onlookerOfHandle } from './reader.ts';
import { stuckLines } from './stuck-wait.ts';
import { StuckWaits } from './stuck-waits.ts';
import { waitsIn, type SeenWait } from './waits.ts';
import type { ToWatchdog, WatchdogData } from './watchdog-messages.ts';
import { writeOut } from './watchdog-output.ts';
import { Index } from './wording.ts';

const { after, lines, handles, channel: channelName, ready } = workerData as WatchdogData;

/** The arenas, by their ids. */
const lookouts = new Map<string, Lookout>();

/** Looks at one arena. */
class Lookout {
  readonly #id: string;
  readonly #onlooker: Onlooker;
  readonly #waits = new StuckWaits(after);
  /** Waits that are too old and in no page yet. */
  #found: readonly SeenWait[] = [];
  /** The time of the last page, in ms of `parking.now`. */
  #last = -Infinity;
  #timer: ReturnType<typeof setTimeout>;

  constructor(handle: ArenaHandle) {
    this.#id = handle.arena;
    this.#onlooker = onlookerOfHandle(handle);
    this.#timer = setTimeout(() => this.#look(), 0);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  report(head: string): void {
    this.#try(() => write(`${head}\n\n${reportText(this.#onlooker, lines)}`));
  }

  #look(): void {
    this.#try(() => {
      const onlooker = this.#onlooker;
      if (isDeserted(onlooker)) {
        lookouts.delete(this.#id);
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
      lookouts.delete(this.#id);
      write(`Arena ${this.#id} is no longer watched: ${messageOf(failure)}`);
    }
  }
}

/**
 * Whether no agent is left in an arena that the process watches. A thread that joins it later tells of it again. An
 * arena of `startWatchdog` is watched until `stop`.
 */
function isDeserted({ words }: Onlooker): boolean {
  if (channelName === undefined) return false;
  for (const { record, owner } of records(words, HEADER_AGENT_POOL))
    if (owner !== 0 && words.load32(record + AGENT_STATE) !== AGENT_LEFT) return false;
  return true;
}

function write(text: string): void {
  writeOut(`\nSluice watchdog, process ${pid}: ${text}\n`);
}

function watch(handle: ArenaHandle): void {
  if (lookouts.has(handle.arena)) return;
  try {
    lookouts.set(handle.arena, new Lookout(handle));
  } catch (failure) {
    write(`An arena is not watched: ${messageOf(failure)}`);
  }
}

const channel = channelName === undefined ? undefined : new BroadcastChannel(channelName);
if (channel !== undefined) channel.onmessage = (event) => obey((event as { readonly data: ToWatchdog }).data);
parentPort?.on('message', obey);
for (const handle of handles) watch(handle);
if (ready !== undefined) {
  Atomics.store(ready, 0, 1);
  Atomics.notify(ready, 0);
}

function obey(message: ToWatchdog): void {
  switch (message.type) {
    case 'arena':
      watch(message.handle);
      break;
    case 'report':
      for (const lookout of lookouts.values()) lookout.report('A report was asked for.');
      if (lookouts.size === 0) write('A report was asked for, and no arena is open.');
      break;
    case 'stop':
      for (const lookout of lookouts.values()) lookout.stop();
      channel?.close();
      parentPort?.close();
  }
}

// Starts a thread that reports waits which are too old.

import { MisuseError, type Arena, type ArenaHandle } from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  dispose,
  INSPECT,
  LONGEST_MS,
  messageOf,
  consoleText,
  refusePosting,
  show,
} from '@sluice/core/calls';
import { chosenArena, contextOf } from '@sluice/core/internal';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread, Worker } from 'node:worker_threads';
import { checkLines, REPORT_OPTIONS, type ReportOptions } from '../report/format-report.ts';
import { createPlaceTable } from '../tables/place-table.ts';
import { withoutModules, type ToWatchdog, type WatchdogData } from './watchdog-messages.ts';

export interface WatchdogOptions extends ReportOptions {
  /** The age in ms at which a wait is reported, 1 to 2^31 − 1. Default 5000. */
  readonly after?: number;
  /**
   * A signal at which the watchdog writes a report, such as 'SIGUSR2'. Only the main thread gets signals, and only
   * while its event loop turns. The signal then no longer ends the process. Default: none.
   */
  readonly signal?: string | undefined;
  /** The path of a folder. With each report, the watchdog writes a dump of the arena there. Default: none. */
  readonly dumps?: string | undefined;
}

const OPTIONS: readonly string[] = [...REPORT_OPTIONS, 'after', 'signal', 'dumps'];
const DEFAULT_MS = 5000;

/**
 * Starts a thread that writes a report to stderr when a wait of any agent of the arena is older than `after`, once for
 * each wait.
 *
 * The thread needs no event loop but its own, so it reports while every other thread blocks, also the main thread. It
 * is no agent of the arena: it holds nothing, and no call waits for it. It does not keep the process alive, and ends
 * with the thread that started it.
 *
 * To watch all arenas of a program without a change of the program: `SLUICE_WATCHDOG=5 node --import
 * @sluice/inspect/watchdog app.js`.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { startWatchdog } from '@sluice/inspect/watchdog';
 *
 * const watchdog = startWatchdog(Arena.default(), { after: 2000 });
 * // … what the program does
 * await watchdog.stop();
 * ```
 *
 * @param arena - Default: the realm's default arena.
 * @throws {RangeError} If an option is out of range, or `signal` is no signal that a program can handle.
 * @throws {TypeError} If `arena` is no arena, or an option has the wrong type or is unknown.
 * @throws {MisuseError} If this thread's agent has left the arena, for `signal` in a thread other than the main thread,
 *   or if the file of the watchdog's thread is missing, as in a bundle.
 */
export function startWatchdog(arena?: Arena, options: WatchdogOptions = {}): Watchdog {
  checkOptions(options, OPTIONS);
  const { after = DEFAULT_MS, signal, dumps } = options;
  checkInteger('after', after, 1, LONGEST_MS);
  const lines = checkLines(options);
  checkSignalName(signal);
  checkFolder(dumps);
  const chosen = chosenArena(arena);
  contextOf(chosen);
  return new Watchdog(
    { after, lines, handles: [withoutModules(chosen.handle)], dumps, places: createPlaceTable().memory },
    signal,
  );
}

function checkFolder(dumps: unknown): void {
  if (dumps === undefined) return;
  if (typeof dumps !== 'string')
    throw new TypeError(`dumps must be the path of a folder: received ${show(dumps)}. No watchdog was started.`);
  if (!existsSync(dumps))
    throw new RangeError(`dumps must be a folder that is there: received ${show(dumps)}. No watchdog was started.`);
}

/** No program can handle these. */
const NOT_HANDLED = ['SIGKILL', 'SIGSTOP'];

function checkSignalName(signal: unknown): void {
  if (signal === undefined) return;
  if (typeof signal !== 'string')
    throw new TypeError(`signal must be the name of a signal: received ${show(signal)}. No watchdog was started.`);
  if (!Object.hasOwn(constants.signals, signal) || NOT_HANDLED.includes(signal))
    throw new RangeError(
      `signal must be a signal that a program can handle, such as 'SIGUSR2': received ${show(signal)}. No watchdog was started.`,
    );
  if (!isMainThread)
    throw new MisuseError(
      `Only the main thread gets signals: start the watchdog for ${signal} there. No watchdog was started.`,
    );
}

/** A thread that reports waits which are too old, until `stop` or the end of a `using` block. */
export class Watchdog {
  readonly #thread: Worker;
  readonly #ended: Promise<void>;
  #stopped = false;

  /** @internal */
  constructor(data: WatchdogData, signal: string | undefined) {
    refusePosting(this);
    const onSignal = (): void => this.report();
    const ignoreSignal = (): void => {
      if (signal !== undefined) process.off(signal, onSignal);
    };
    this.#thread = startThread(data);
    this.#thread.on('error', (failure) => {
      process.emitWarning(`The watchdog has ended: ${messageOf(failure)}`, {
        type: 'SluiceWarning',
        code: 'SLUICE_WATCHDOG',
      });
    });
    this.#ended = new Promise((resolve) => {
      this.#thread.once('exit', () => {
        this.#stopped = true;
        ignoreSignal();
        resolve();
      });
    });
    if (signal !== undefined) process.on(signal as NodeJS.Signals, onSignal);
    this.#thread.unref();
  }

  /** Writes a report of each arena to stderr now, from the watchdog's thread. Has no effect after `stop`. */
  report(): void {
    this.#post({ type: 'report' });
  }

  /** Ends the watchdog. Resolves when its thread has ended. Later calls return the same promise. */
  stop(): Promise<void> {
    if (!this.#stopped) {
      this.#post({ type: 'stop' });
      this.#stopped = true;
      // A caller that awaits the end has nothing else to do, perhaps.
      this.#thread.ref();
    }
    return this.#ended;
  }

  /** Watches another arena, too. @internal */
  add(handle: ArenaHandle): void {
    this.#post({ type: 'arena', handle: withoutModules(handle) });
  }

  #post(message: ToWatchdog): void {
    if (!this.#stopped) this.#thread.postMessage(message);
  }

  [INSPECT](): string {
    return consoleText('Watchdog', () => ({ stopped: this.#stopped }));
  }

  [dispose](): void {
    void this.stop();
  }
}

/** Starts the file beside this one. It takes no options of this process: a preloaded file would be loaded again. */
function startThread(workerData: WatchdogData): Worker {
  const name = 'sluice-watchdog.js';
  // A build that makes CommonJS of this module leaves `import.meta` empty.
  const folder = typeof import.meta.url === 'string' ? dirname(fileURLToPath(import.meta.url)) : __dirname;
  const file = join(folder, name);
  if (!existsSync(file))
    throw new MisuseError(
      `The watchdog's thread needs the file ${file}, which is not there. Leave @sluice/inspect out of the bundle, or load the watchdog by --import. No watchdog was started.`,
    );
  return new Worker(file, { name: 'sluice watchdog', workerData, execArgv: [], env: {} });
}

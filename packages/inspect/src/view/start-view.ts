// Starts a page that shows arenas as they live.

import { MisuseError, type Arena, type ArenaHandle } from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  consoleText,
  dispose,
  INSPECT,
  messageOf,
  refusePosting,
} from '@sluice/core/calls';
import { chosenArena, contextOf } from '@sluice/core/internal';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { createPlaceTable } from '../tables/place-table.ts';
import { withoutModules } from '../watchdog/watchdog-messages.ts';
import type { FromView, ToView, ViewData } from './view-messages.ts';

export interface ViewOptions {
  /** The port of the page, 0 to 65535. 0 is any free port. Default 0. */
  readonly port?: number;
}

const MAX_PORT = 65_535;
/** The longest time in ms that the caller waits for the view's thread. It takes some 60 ms. */
const START_MS = 10_000;
const TOKEN_BYTES = 18;

/**
 * Starts a page on this machine that shows an arena as it lives, and returns its URL in `url`. Open it in a browser.
 *
 * The page shows each primitive as a gate, with the agents that hold it and the agents in line. It shows deadlocks in
 * red, and has tables of primitives and agents.
 *
 * A thread of its own serves the page. The thread is no agent of the arena and needs no event loop of the program, so
 * the page also moves while every other thread blocks. The thread does not keep the process alive, and ends with the
 * thread that started it. While no page asks, it does nothing.
 *
 * Only programs on this machine can open the page, and only with the token in the URL. The call blocks its thread for
 * about 60 ms.
 *
 * ```ts run
 * import { Arena } from '@sluice/core';
 * import { startView } from '@sluice/inspect/view';
 *
 * const view = startView(Arena.default());
 * console.log(view.url.startsWith('http://127.0.0.1:')); // true
 * await view.stop();
 * ```
 *
 * @param arena - Default: the realm's default arena.
 * @throws {RangeError} If an option is out of range.
 * @throws {TypeError} If `arena` is no arena, or an option has the wrong type or is unknown.
 * @throws {MisuseError} If this thread's agent has left the arena, the port is taken, or the files of the view are
 *   missing, as in a bundle.
 */
export function startView(arena?: Arena, options: ViewOptions = {}): ArenaView {
  checkOptions(options, ['port']);
  const { port = 0 } = options;
  checkInteger('port', port, 0, MAX_PORT);
  const chosen = chosenArena(arena);
  contextOf(chosen);
  return new ArenaView({ port, handles: [chosen.handle] });
}

/** The part of `ViewData` that callers choose. */
export interface ViewSetting {
  readonly port: number;
  readonly handles: readonly ArenaHandle[];
  readonly channel?: string;
}

/** A page that shows arenas, until `stop` or the end of a `using` block. */
export class ArenaView {
  /** The URL of the page, with its token. A program that knows the URL sees the names and the agents of the arenas. */
  readonly url: string;
  readonly #thread: Worker;
  readonly #ended: Promise<void>;
  #stopped = false;

  /** @internal */
  constructor({ port, handles, channel }: ViewSetting) {
    refusePosting(this);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const ready = new Int32Array(new SharedArrayBuffer(4));
    const { port1, port2 } = new MessageChannel();
    const data: ViewData = {
      token,
      port,
      program: programName(),
      handles: handles.map(withoutModules),
      channel,
      places: createPlaceTable().memory,
      answer: port2,
      ready,
    };
    this.#thread = startThread(data);
    this.#thread.on('error', (failure) => {
      process.emitWarning(`The view has ended: ${messageOf(failure)}`, { type: 'SluiceWarning', code: 'SLUICE_VIEW' });
    });
    this.#ended = new Promise((resolve) => {
      this.#thread.once('exit', () => {
        this.#stopped = true;
        resolve();
      });
    });
    this.#thread.unref();
    Atomics.wait(ready, 0, 0, START_MS);
    const outcome = receiveMessageOnPort(port1)?.message as FromView | undefined;
    port1.close();
    if (outcome === undefined || 'failure' in outcome) {
      void this.#thread.terminate();
      throw new MisuseError(
        `The view cannot serve its page: ${outcome?.failure ?? 'its thread did not start in time'}. No view was started.`,
      );
    }
    this.url = `http://127.0.0.1:${outcome.port}/${token}/`;
  }

  /**
   * Shows another arena, too. The reader of the page chooses one. Has no effect after `stop`.
   *
   * @throws {TypeError} If `arena` is no arena.
   * @throws {MisuseError} If this thread's agent has left the arena.
   */
  add(arena: Arena): void {
    const chosen = chosenArena(arena);
    contextOf(chosen);
    this.addHandle(chosen.handle, true);
  }

  /** Shows the arena of a handle, forever or until no agent is left in it. @internal */
  addHandle(handle: ArenaHandle, stays: boolean): void {
    this.#post({ type: 'arena', handle: withoutModules(handle), stays });
  }

  /** Closes the page. Resolves when its thread has ended. Later calls return the same promise. */
  stop(): Promise<void> {
    if (!this.#stopped) {
      this.#post({ type: 'stop' });
      this.#stopped = true;
      // Keep the process alive until the thread ends: a caller may await the end and have nothing else to do.
      this.#thread.ref();
    }
    return this.#ended;
  }

  #post(message: ToView): void {
    if (!this.#stopped) this.#thread.postMessage(message);
  }

  [INSPECT](): string {
    return consoleText('ArenaView', () => ({ url: this.url, stopped: this.#stopped }));
  }

  [dispose](): void {
    void this.stop();
  }
}

function programName(): string {
  const file = process.argv[1];
  return `process ${process.pid}${file === undefined ? '' : `, ${basename(file)}`}`;
}

/** Starts the file beside this one. It takes no options of this process: a preloaded file would be loaded again. */
function startThread(workerData: ViewData): Worker {
  // A build that makes CommonJS of this module leaves `import.meta` empty.
  const folder = typeof import.meta.url === 'string' ? dirname(fileURLToPath(import.meta.url)) : __dirname;
  const file = join(folder, 'sluice-view.js');
  if (!existsSync(file))
    throw new MisuseError(
      `The view's thread needs the file ${file}, which is not there. Leave @sluice/inspect out of the bundle, or load the view by --import. No view was started.`,
    );
  return new Worker(file, {
    name: 'sluice view',
    workerData,
    transferList: [workerData.answer],
    execArgv: [],
    env: {},
  });
}

// Wraps the constructor of workers. The wrapper gives each worker its slot of the table, and makes the worker load this
// module before its program.
//
// The table and the slot travel as environment data of the thread, which needs neither `workerData` nor `env` of the
// program. The module comes by `--require`, which a worker obeys whatever it runs: a file, a URL or a text.

import { syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import workerThreads, { setEnvironmentData, type Worker, type WorkerOptions } from 'node:worker_threads';
import { RUNNING, CREATED_AT, ENDED, FILE, NAME, PARENT, STATE, THREAD, type WordTable } from './word-table.ts';

/** The key of the environment data. */
export const HANDED = '@sluice/inspect why';

/** What a thread hands to each worker that it starts. */
export interface Handed {
  readonly table: SharedArrayBuffer;
  /** The index of the worker's slot, or -1. */
  readonly slot: number;
}

/** Changes the constructor for all code of this thread that loads after this. `preload`: the file that a worker loads. */
export function wrapWorker(table: WordTable, own: number, preload: string): void {
  const { Worker: Real } = workerThreads;
  const wrapped: typeof Worker = new Proxy(Real, {
    construct(target, [file, options]: [string | URL, WorkerOptions | undefined], newTarget) {
      const index = table.claim();
      if (index >= 0) describe(table, table.slot(index), own, file, options);
      setEnvironmentData(HANDED, { table: table.memory, slot: index } satisfies Handed);
      try {
        const worker = construct(target, file, options, preload, newTarget);
        if (index >= 0) follow(table, table.slot(index), worker);
        return worker;
      } catch (failure) {
        if (index >= 0) table.end(table.slot(index));
        throw failure;
      } finally {
        setEnvironmentData(HANDED, { table: table.memory, slot: -1 } satisfies Handed);
      }
    },
  });
  Real.prototype.constructor = wrapped;
  workerThreads.Worker = wrapped;
  // For `import { Worker } from 'node:worker_threads'`.
  syncBuiltinESMExports();
}

function describe(
  table: WordTable,
  slot: number,
  own: number,
  file: unknown,
  options: WorkerOptions | undefined,
): void {
  table.setWord(slot + PARENT, own + 1);
  table.setWord(slot + THREAD, -1);
  table.setText(slot, FILE, options?.eval === true ? '[worker eval]' : String(file));
  if (typeof options?.name === 'string') table.setText(slot, NAME, options.name);
  table.setText(slot, CREATED_AT, placeOfCaller());
}

/** Returns the first place of the stack outside Node.js and this package: "at start (file:///app.mjs:12:3)". */
function placeOfCaller(): string {
  const { stack = '' } = new Error();
  const lines = stack.split('\n').slice(1);
  const isOwn = (line: string): boolean => /\bnode:|[\\/]dist[\\/]why\.c?js\b/.test(line);
  return (
    lines
      .find((line) => !isOwn(line))
      ?.trim()
      .replace(/^at /, '') ?? ''
  );
}

function construct(
  target: typeof Worker,
  file: string | URL,
  options: WorkerOptions | undefined,
  preload: string,
  newTarget: unknown,
): Worker {
  const start = (changed: WorkerOptions | undefined): Worker =>
    Reflect.construct<ConstructorParameters<typeof Worker>, Worker>(
      target,
      [file, changed],
      newTarget as typeof Worker,
    );
  // Without either option, a worker gets the options of its process. A worker that runs a text ignores `--import`.
  const isInherited =
    options?.execArgv === undefined && (options?.env === undefined || typeof options.env === 'symbol');
  if (isInherited && isPreloaded() && options?.eval !== true) return start(options);
  const load = ['--require', preload];
  if (options?.execArgv !== undefined || !isInherited)
    return start({ ...options, execArgv: [...(options.execArgv ?? []), ...load] });
  try {
    return start({ ...options, execArgv: [...process.execArgv, ...load] });
  } catch (failure) {
    // Options of the engine hold for the whole process, and a worker may not have them.
    if ((failure as NodeJS.ErrnoException).code !== 'ERR_WORKER_INVALID_EXEC_ARGV') throw failure;
    return start({ ...options, execArgv: load });
  }
}

/** Whether the process loads this module in each of its threads. */
function isPreloaded(): boolean {
  return [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((option) => /\bwhy\b/.test(option));
}

function follow(table: WordTable, slot: number, worker: Worker): void {
  // A thread that has not started would have the id 0, which is that of the main thread.
  if (table.word(slot + STATE) !== RUNNING) table.setWord(slot + THREAD, worker.threadId);
  worker.once('exit', () => {
    if (table.word(slot + STATE) !== ENDED) table.end(slot);
  });
}

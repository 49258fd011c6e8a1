// Switches the lints on and off in this thread.

import {
  checkFunction,
  checkInteger,
  checkOptions,
  consoleText,
  dispose,
  INSPECT,
  LONGEST_MS,
  now,
  refusePosting,
  show,
} from '@sluice/core/calls';
import { openedArenas } from '@sluice/core/report';
import { startTool, stopTool } from '../observe/observer.ts';
import { onUnwatchedDeath } from '../process/unwatched-death.ts';
import { hasWork } from '../process/work-of-main.ts';
import { DEFAULT_LIMITS, Linter, type LintFinding, type LintLimits } from './linter.ts';
import { emit, emitAtExit, levelsIn, warningsGiven, type LintLevel, type LintLevels, type LintName } from './names.ts';

export interface LintOptions {
  /**
   * By the name of a lint: `'allow'` does not look for it, `'warn'` gives a process warning, `'deny'` throws a
   * `MisuseError` that no call catches. Default: the levels of the environment variable SLUICE_LINTS, and `'warn'`.
   */
  readonly levels?: Readonly<Partial<Record<LintName, LintLevel>>> | undefined;
  /** From which time in ms, or number of timeouts, the lints find something. */
  readonly limits?: Readonly<Partial<LintLimits>> | undefined;
  /** Called with each finding of a lint that is not allowed, in place of the warning or the error. */
  readonly onFinding?: ((finding: LintFinding) => void) | undefined;
}

const OPTIONS: readonly (keyof LintOptions)[] = ['levels', 'limits', 'onFinding'];

/** The lints that `startLints` began, until `stop` or the end of a `using` block. */
export class Lints {
  readonly #stop: () => void;

  /** @internal */
  constructor(stop: () => void) {
    refusePosting(this);
    this.#stop = stop;
  }

  /** Ends the lints in this thread. A second call does nothing. */
  stop(): void {
    this.#stop();
  }

  [INSPECT](): string {
    return consoleText('Lints', () => ({}));
  }

  [dispose](): void {
    this.stop();
  }
}

/**
 * Looks in this thread for uses of Sluice that are correct and cost a program dearly, until `stop`. Each finding is told
 * once for each primitive.
 *
 * - `held-across-await`: a lock was held for more than 100 ms while the thread awaited something.
 * - `blocks-main`: a blocking call parked the main thread while its event loop had work (on Node.js).
 * - `unwatched-death`: a worker of this thread ended, and no thread has recovered its agent (on Node.js).
 * - `never-released`: the thread ends, and still holds a lock (on Node.js).
 * - `polling-timeouts`: 20 calls in succession ended with a short timeout.
 * - `writer-starved`: a writer waited for more than a second.
 * - `stale-grant`: the event loop did not turn for 250 ms while an async call of the thread waited, and got its lock.
 *
 * Call it before the thread creates or opens its locks: of older ones only the waits are followed.
 *
 * ```ts run
 * import { startLints } from '@sluice/inspect';
 * import { Mutex } from '@sluice/mutex';
 *
 * const lints = startLints({
 *   limits: { heldAcrossAwait: 1 },
 *   onFinding: ({ lint, primitive }) => console.log(lint, primitive),
 * });
 * const accounts = Mutex.create({ name: 'accounts' });
 * await accounts.runAsync(() => new Promise((resolve) => setTimeout(resolve, 20)));
 * // held-across-await lock 'accounts'
 * lints.stop();
 * ```
 *
 * @throws {RangeError} If a limit is out of range.
 * @throws {TypeError} If an option or SLUICE_LINTS has the wrong type, or names no lint.
 */
export function startLints(options: LintOptions = {}): Lints {
  checkOptions(options, OPTIONS);
  const { onFinding } = options;
  if (onFinding !== undefined) checkFunction(onFinding);
  const levels = levelsIn(options.levels);
  const limits = limitsIn(options.limits);
  const find = (finding: LintFinding): void => report(finding, levels, onFinding);
  const timer = new LoopTimer(Math.max(1, Math.floor(limits.staleGrant / TICKS)));
  const linter = new Linter(
    limits,
    { now, soon: queueMicrotask, isBusyMain: () => isMain() && hasWork(), setTicking: (isOn) => timer.set(isOn) },
    find,
  );
  timer.tick = () => linter.tick();
  startTool(linter);
  const unlisten = listen(linter, find);
  return new Lints(() => {
    stopTool(linter);
    timer.set(false);
    unlisten();
  });
}

/** How often the event loop is asked within the limit of `stale-grant`. */
const TICKS = 5;

function limitsIn(passed: unknown = {}): LintLimits {
  if (typeof passed !== 'object' || passed === null)
    throw new TypeError(`limits must be an object with numbers: received ${show(passed)}`);
  const names = Object.keys(DEFAULT_LIMITS) as (keyof LintLimits)[];
  checkOptions(passed, names);
  const limits = { ...DEFAULT_LIMITS, ...(passed as Partial<LintLimits>) };
  for (const name of names) checkInteger(name, limits[name], 1, LONGEST_MS);
  return limits;
}

/** Tells a finding. A listener must not end the call of the program in which it is called. */
function report(
  finding: LintFinding,
  levels: LintLevels,
  listener: ((finding: LintFinding) => void) | undefined,
): void {
  const { lint, text } = finding;
  if (levels[lint] === 'allow') return;
  // The watchdog gives these warnings, too.
  const given = warningsGiven();
  if (listener === undefined && lint === 'blocks-main') {
    if (given.blocked) return;
    given.blocked = true;
  }
  if (listener === undefined) {
    if (lint === 'never-released') emitAtExit(levels[lint], lint, text);
    else emit(levels[lint], lint, text);
    return;
  }
  try {
    listener(finding);
  } catch (failure) {
    queueMicrotask(() => {
      throw failure;
    });
  }
}

/** A timer that does not keep the process alive. */
class LoopTimer {
  tick: () => void = () => undefined;
  readonly #ms: number;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  set(isOn: boolean): void {
    if (isOn === (this.#timer !== undefined)) return;
    if (!isOn) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer = setInterval(() => this.tick(), this.#ms);
    (this.#timer as { unref?(): void }).unref?.();
  }
}

interface Process {
  on(event: string, listener: (argument: never) => void): void;
  off(event: string, listener: (argument: never) => void): void;
  getBuiltinModule?(id: string): unknown;
}

/** `process`, where it tells of ends. */
function processHere(): Process | undefined {
  const process: unknown = Reflect.get(globalThis, 'process');
  const { on, off } = (process ?? {}) as Partial<Process>;
  return typeof on === 'function' && typeof off === 'function' ? (process as Process) : undefined;
}

function isMain(): boolean {
  const threads = processHere()?.getBuiltinModule?.('node:worker_threads') as { isMainThread?: boolean } | undefined;
  return threads?.isMainThread === true;
}

/** Listens to the ends of the workers and of this thread. Returns the function that ends it. */
function listen(linter: Linter, find: (finding: LintFinding) => void): () => void {
  const unwatch = onUnwatchedDeath(
    () => openedArenas().map(({ handle }) => handle),
    (text) => {
      const given = warningsGiven();
      if (given.unwatched) return;
      given.unwatched = true;
      find({ lint: 'unwatched-death', primitive: '', place: [], text });
    },
  );
  const process = processHere();
  const onExit = (): void => linter.ends();
  process?.on('exit', onExit);
  return () => {
    unwatch();
    process?.off('exit', onExit);
  };
}

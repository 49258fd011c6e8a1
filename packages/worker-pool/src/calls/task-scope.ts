// `scope`: the tasks that a callback starts end before the scope does.
//
//   the callback runs ▶ it has settled, what is left is cancelled ▶ all members are over, the scope's promise settles
//
// The first of these decides: the callback's end, the failure of a member, the abort of the signal, the timeout, the
// cancellation of the outer scope. After the JDK's `StructuredTaskScope` (JEP 505), and nurseries (N. J. Smith, 2018).

import { MisuseError, TimeoutError } from '@sluice/core';
import { checkFunction, offAbort, onAbort, reasonOf, setAlarm } from '@sluice/core/calls';
import { rejected } from '../api/rejected.ts';
import { NO_RUN_OPTIONS, type RunOptions } from '../api/run-options.ts';
import { ScopeMembers, type Member } from './scope-members.ts';
import { NO_SCOPE_OPTIONS, readScopeOptions, type ScopeOptions, type ScopeSettings } from '../api/scope-options.ts';

/** The part of a pool that a scope uses. */
export interface ScopeHost {
  /** Starts a task. Throws for options that are not valid, and if the pool accepts no more tasks. */
  start(input: unknown, options: RunOptions): Member;
}

type Body<Input, Output, Result> = (scope: TaskScope<Input, Output>) => Result | PromiseLike<Result>;

/** Starts tasks that end before the scope does. `WorkerPool.scope` gives it to its callback. */
export interface TaskScope<Input = unknown, Output = unknown> {
  /** Aborted when the scope is cancelled or ends. Pass it to what the callback awaits beside tasks. */
  readonly signal: AbortSignal;

  /**
   * Runs a task as `WorkerPool.run` does. It is cancelled when the scope is cancelled or ends. If it rejects, the scope
   * is cancelled, unless `cancelOnFailure` is false.
   *
   * If the scope was cancelled, this rejects with the reason and no task begins.
   *
   * @throws {MisuseError} If the scope has ended.
   */
  run(input: Input, options?: RunOptions): Promise<Output>;

  /**
   * Runs `callback` with a scope within this one, as `WorkerPool.scope` does. The inner scope is cancelled with the
   * outer one, so the deadline of the outer one holds in it, too. If it rejects, the outer scope is cancelled, unless
   * `cancelOnFailure` of the outer one is false.
   *
   * @throws {MisuseError} If the scope has ended.
   */
  scope<Result>(
    callback: (scope: TaskScope<Input, Output>) => Result | PromiseLike<Result>,
    options?: ScopeOptions,
  ): Promise<Result>;
}

class Scope<Input, Output> implements TaskScope<Input, Output> {
  readonly #host: ScopeHost;
  readonly #members: ScopeMembers;
  readonly #cancelOnFailure: boolean;

  constructor(host: ScopeHost, members: ScopeMembers, cancelOnFailure: boolean) {
    this.#host = host;
    this.#members = members;
    this.#cancelOnFailure = cancelOnFailure;
  }

  get signal(): AbortSignal {
    return this.#members.signal;
  }

  run(input: Input, options: RunOptions = NO_RUN_OPTIONS): Promise<Output> {
    return this.#open(() => this.#host.start(input, options)) as Promise<Output>;
  }

  scope<Result>(callback: Body<Input, Output, Result>, options: ScopeOptions = NO_SCOPE_OPTIONS): Promise<Result> {
    return this.#open(() => openScope(this.#host, callback, options)) as Promise<Result>;
  }

  #open(start: () => Member): Promise<unknown> {
    if (this.#members.hasEnded) return rejected(new MisuseError('The scope has ended: its callback has settled.'));
    const { cancelled } = this.#members;
    if (cancelled !== undefined) return handled(rejected(cancelled.why));
    let promise: Promise<unknown>;
    try {
      const member = start();
      promise = member.promise;
      this.#members.add(member);
    } catch (failure) {
      promise = rejected(failure);
    }
    // The scope rejects with the failure, so the task's own promise need not be handled.
    if (this.#cancelOnFailure) promise.catch((why: unknown) => this.#members.cancel(why));
    return promise;
  }
}

/**
 * Calls `callback` with a new scope. Throws for options that are not valid, and for a signal that is aborted; then it
 * does not call `callback`.
 */
export function openScope<Input, Output, Result>(
  host: ScopeHost,
  callback: Body<Input, Output, Result>,
  options: ScopeOptions,
): Member & { readonly promise: Promise<Result> } {
  const settings = readScopeOptions(options);
  checkFunction(callback);
  const members = new ScopeMembers();
  const promise = runBody(host, callback, members, settings);
  return {
    promise,
    cancel: (why) => members.cancel(why),
    onOver: (listener) => void promise.then(listener, listener),
  };
}

async function runBody<Input, Output, Result>(
  host: ScopeHost,
  callback: Body<Input, Output, Result>,
  members: ScopeMembers,
  { timeout, signal, cancelOnFailure }: ScopeSettings,
): Promise<Result> {
  const abort = (): void => members.cancel(reasonOf(signal));
  onAbort(signal, abort);
  const late = (): void => members.cancel(tooLate(timeout, members.size));
  const alarm = setAlarm(timeout, late, true);
  let result: Result | undefined;
  try {
    result = await callback(new Scope<Input, Output>(host, members, cancelOnFailure));
  } catch (failure) {
    members.cancel(failure);
  }
  alarm?.stop();
  offAbort(signal, abort);
  // Read before the end cancels what is left: that is no failure of the scope.
  const { cancelled } = members;
  await members.end();
  if (cancelled !== undefined) throw cancelled.why;
  return result as Result;
}

function tooLate(timeout: number, open: number): TimeoutError {
  return new TimeoutError(`The scope was not done within ${timeout} ms: ${open} of its tasks had not ended.`);
}

function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

// Which async task of this thread holds what. The tasks of a thread share its agent, so neither a lock nor the core can
// tell them apart. The body of a `runAsync` and all that it calls run in a context of their own, in which the lock of
// that `runAsync` is held.

import type { Body } from '../observe/tool.ts';
import type { Hold } from './held-locks.ts';

/** The body of a `runAsync`. */
export class RunTask {
  /** The task in which it began, or one around that. It may have ended: use `outer`. */
  around: RunTask | undefined;
  /** Its lock, from the moment in which it is held. */
  hold: Hold | undefined;

  constructor(around: RunTask | undefined) {
    this.around = around;
  }

  /** Whether its lock is held. */
  get isOpen(): boolean {
    return this.hold?.isOpen === true;
  }

  /**
   * Returns the next task around this one that holds its lock. Forgets those between: a task that arms the next one
   * forever must not keep all that have ended.
   */
  outer(): RunTask | undefined {
    while (this.around?.isOpen === false) this.around = this.around.around;
    return this.around;
  }
}

/** `AsyncLocalStorage`, as far as it is used. */
interface Storage {
  getStore(): unknown;
  run(store: unknown, body: () => unknown): unknown;
}

export class RunTasks {
  #storage: Storage | undefined;
  #isSought = false;
  /** The task whose `runAsync` is about to ask for its lock. */
  #asking: RunTask | undefined;

  /** Begins a task. Returns the function that runs its body. */
  begin(body: Body): Body {
    const storage = this.#found;
    if (storage === undefined) return body;
    const { current } = this;
    const around = current?.isOpen === false ? current.outer() : current;
    // Forgets the tasks that have ended.
    around?.outer();
    const task = new RunTask(around);
    this.#asking = task;
    return (...args) => storage.run(task, () => body(...args));
  }

  /** The task that has just begun has asked for its lock. */
  asked(): void {
    this.#asking = undefined;
  }

  /** Returns the task that asks for its lock now, once. */
  takeAsking(): RunTask | undefined {
    const task = this.#asking;
    this.#asking = undefined;
    return task;
  }

  /** The task of which this call is a part. */
  get current(): RunTask | undefined {
    return this.#storage?.getStore() as RunTask | undefined;
  }

  /** It uses `getBuiltinModule`, because an import of a Node module would not load in a page. */
  get #found(): Storage | undefined {
    if (this.#isSought) return this.#storage;
    this.#isSought = true;
    const { process } = globalThis as { readonly process?: { getBuiltinModule?(id: string): unknown } };
    const hooks = process?.getBuiltinModule?.('node:async_hooks') as
      | { readonly AsyncLocalStorage: new () => Storage }
      | undefined;
    if (hooks !== undefined) this.#storage = new hooks.AsyncLocalStorage();
    return this.#storage;
  }
}

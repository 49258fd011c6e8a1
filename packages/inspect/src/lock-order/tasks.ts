// Which async task of this thread holds what. The tasks of a thread share its agent, so neither a lock nor the core can
// tell them apart. The body of a `runAsync` and all that it calls run in a context of their own, in which the lock of
// that `runAsync` is held.

import type { Body } from '../observe/tool.ts';
import type { Hold } from './held.ts';

/** The body of a `runAsync`. */
export class Task {
  readonly parent: Task | undefined;
  /** Its lock, from the moment in which it is held. */
  hold: Hold | undefined;

  constructor(parent: Task | undefined) {
    this.parent = parent;
  }
}

/** `AsyncLocalStorage`, as far as it is used. */
interface Storage {
  getStore(): unknown;
  run(store: unknown, body: () => unknown): unknown;
}

export class Tasks {
  #storage: Storage | undefined;
  #isSought = false;
  /** The task whose `runAsync` is about to ask for its lock. */
  #asking: Task | undefined;

  /** Begins a task. Returns the function that runs its body. */
  begin(body: Body): Body {
    const storage = this.#found;
    if (storage === undefined) return body;
    const task = new Task(this.current);
    this.#asking = task;
    return (...args) => storage.run(task, () => body(...args));
  }

  /** The task that has just begun has asked for its lock. */
  asked(): void {
    this.#asking = undefined;
  }

  /** Returns the task that asks for its lock now, once. */
  takeAsking(): Task | undefined {
    const task = this.#asking;
    this.#asking = undefined;
    return task;
  }

  /** The task of which this call is a part. */
  get current(): Task | undefined {
    return this.#storage?.getStore() as Task | undefined;
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

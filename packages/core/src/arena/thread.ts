// Which thread of the platform an agent runs on: how a watcher finds the agents of a worker.

interface Platform {
  readonly process?: { getBuiltinModule?(id: string): { readonly threadId?: unknown } | undefined };
}

/**
 * 1 + the id of this thread; 0 where the platform gives none. By `getBuiltinModule`, as an import of a Node module would
 * not load in a page. Node and Bun never use an id again.
 */
export function threadWord(): number {
  const { process } = globalThis as Platform;
  const id = process?.getBuiltinModule?.('node:worker_threads')?.threadId;
  return typeof id === 'number' && id >= 0 ? id + 1 : 0;
}

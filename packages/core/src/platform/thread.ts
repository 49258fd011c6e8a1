// The platform's id of the thread that an agent runs on. A watcher uses it to find the agents of a worker.

interface Platform {
  readonly process?: { getBuiltinModule?(id: string): { readonly threadId?: unknown } | undefined };
}

/**
 * Returns 1 + the id of this thread, or 0 if the platform gives none. It uses `getBuiltinModule`, because an import of
 * a Node module would not load in a page. Node and Bun never reuse an id.
 */
export function threadWord(): number {
  const { process } = globalThis as Platform;
  const id = process?.getBuiltinModule?.('node:worker_threads')?.threadId;
  return typeof id === 'number' && id >= 0 ? id + 1 : 0;
}

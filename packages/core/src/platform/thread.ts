// The platform's thread that an agent runs on: a watcher uses it to find the agents of a worker.

interface Platform {
  readonly process?: { getBuiltinModule?(id: string): { readonly threadId?: unknown } | undefined };
}

/**
 * 1 + the id of this thread; 0 if the platform gives none. Uses `getBuiltinModule`, since an import of a Node module
 * would not load in a page. Node and Bun never reuse an id.
 */
export function threadWord(): number {
  const { process } = globalThis as Platform;
  const id = process?.getBuiltinModule?.('node:worker_threads')?.threadId;
  return typeof id === 'number' && id >= 0 ? id + 1 : 0;
}

// How many processor cores the threads of this process may use.

interface Platform {
  readonly navigator?: { readonly hardwareConcurrency?: unknown };
  readonly process?: { getBuiltinModule?(id: string): unknown };
}

interface SystemModule {
  availableParallelism?(): unknown;
}

let known: number | undefined;

/** Returns the number of cores, or Infinity if the platform does not tell. It asks the platform once. */
export function coreCount(): number {
  return (known ??= probe());
}

/** It uses `getBuiltinModule`, because an import of a Node module would not load in a page. Node.js 20 has no `navigator`. */
function probe(): number {
  const { navigator, process } = globalThis as Platform;
  const system = process?.getBuiltinModule?.('node:os') as SystemModule | undefined;
  const cores = navigator?.hardwareConcurrency ?? system?.availableParallelism?.();
  return typeof cores === 'number' && cores > 0 ? cores : Infinity;
}

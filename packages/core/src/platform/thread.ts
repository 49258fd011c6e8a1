// The thread that an agent runs on: the platform's id of it, its runtime and its name.

interface ThreadsModule {
  readonly threadId?: unknown;
  /** Node.js 24.6 and 22.20. */
  readonly threadName?: unknown;
}

interface FilesModule {
  readlinkSync?(path: string): unknown;
}

interface Platform {
  readonly process?: {
    readonly argv?: readonly unknown[];
    readonly platform?: unknown;
    readonly versions?: Readonly<Record<string, unknown>>;
    getBuiltinModule?(id: string): unknown;
  };
  readonly Deno?: unknown;
  readonly document?: unknown;
  readonly location?: { readonly href?: unknown };
  readonly name?: unknown;
}

/** The runtimes that a report names. An arena has the index of a runtime: append only. */
export const RUNTIMES = ['unknown', 'node', 'bun', 'deno', 'browser'] as const;

export type AgentRuntime = (typeof RUNTIMES)[number];

/** The name that Node.js gives a worker without a name. */
const UNNAMED = 'WorkerThread';

/**
 * Returns 1 + the id of this thread, or 0 if the platform gives none. It uses `getBuiltinModule`, because an import of
 * a Node module would not load in a page. Node and Bun never reuse an id.
 */
export function threadWord(): number {
  const id = threads()?.threadId;
  return typeof id === 'number' && id >= 0 ? id + 1 : 0;
}

/** Returns the runtime of this thread. */
export function runtimeOf(global: object = globalThis): AgentRuntime {
  const platform = global as Platform;
  const versions = platform.process?.versions;
  if (versions?.['bun'] !== undefined) return 'bun';
  if (platform.Deno !== undefined || versions?.['deno'] !== undefined) return 'deno';
  if (versions?.['node'] !== undefined) return 'node';
  return platform.document !== undefined || platform.location !== undefined ? 'browser' : 'unknown';
}

/**
 * Returns the name that the program gave this thread's worker, or the last part of the path of the file that the thread
 * runs. Returns '' if the platform tells neither.
 */
export function threadName(global: object = globalThis): string {
  const platform = global as Platform;
  const given = [threads(global)?.threadName, platform.name].find(
    (text): text is string => typeof text === 'string' && text !== '' && text !== UNNAMED,
  );
  // Deno may refuse to tell its location.
  return given ?? fileIn(platform.process?.argv?.[1] ?? platform.location?.href);
}

/** Returns the last part of a path or an address. A thread whose code came in a URL of its own has no file. */
function fileIn(path: unknown): string {
  if (typeof path !== 'string' || /^(?:blob|data):/.test(path)) return '';
  return /([^\\/?#]*)(?:[?#].*)?$/.exec(path)?.[1] ?? '';
}

/**
 * Returns Linux's id of this thread, as `top -H` and `/proc` show it, or 0 where it cannot be read. Deno would ask its
 * user for a permission.
 */
export function osThread(global: object = globalThis): number {
  const { process } = global as Platform;
  if (process?.platform !== 'linux' || runtimeOf(global) === 'deno') return 0;
  try {
    const files = process.getBuiltinModule?.('node:fs') as FilesModule | undefined;
    return Number(/\/task\/(\d+)$/.exec(String(files?.readlinkSync?.('/proc/thread-self')))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function threads(global: object = globalThis): ThreadsModule | undefined {
  return (global as Platform).process?.getBuiltinModule?.('node:worker_threads') as ThreadsModule | undefined;
}

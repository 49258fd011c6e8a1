// What a report says, one row for each primitive: the threads that hold it, and those that wait for it, the longest
// wait first.

/** What a view needs of `arena.inspect()`. A report that has travelled as JSON will do. */
export interface ViewReport {
  readonly agents: readonly {
    readonly agent: number;
    readonly holds: readonly Use[];
    readonly waits: readonly (Use & { readonly since: number; readonly how?: string })[];
  }[];
  readonly blocks: readonly {
    readonly kind: string;
    readonly name: string;
    readonly address: number;
    readonly closed?: boolean;
  }[];
}

interface Use {
  readonly kind: string;
  readonly name: string;
  readonly address: number;
  readonly permits: number;
  /** ms since 1970 */
  readonly since?: number;
}

export interface Mark {
  readonly agent: number;
  readonly permits: number;
  /** How long the agent has held or waited, in ms, if the report says it. */
  readonly ms: number | undefined;
  readonly isAsync: boolean;
}

export interface Row {
  readonly kind: string;
  readonly name: string;
  readonly address: number;
  readonly closed: boolean;
  readonly holders: readonly Mark[];
  readonly waiters: readonly Mark[];
}

/** No thread holds these or waits for them. */
const MEMORY = new Set(['region', 'pool', 'free', 'unknown']);

/**
 * One row for each primitive of the report, in the order of their addresses. `names`: only these, in this order. `now`:
 * ms since 1970.
 */
export function rowsOf(report: ViewReport, now: number, names?: readonly string[]): Row[] {
  const rows = report.blocks.filter(({ kind }) => !MEMORY.has(kind)).map((block) => rowOf(report, block, now));
  if (names === undefined) return rows;
  return names.flatMap((name) => rows.filter((row) => row.name === name));
}

function rowOf(
  { agents }: ViewReport,
  { kind, name, address, closed = false }: ViewReport['blocks'][number],
  now: number,
): Row {
  const mark = (agent: number, { permits, since }: Use, how = ''): Mark => ({
    agent,
    permits,
    ms: since === undefined || since === 0 ? undefined : Math.max(0, now - since),
    isAsync: how === 'async',
  });
  const holders = agents.flatMap(({ agent, holds }) =>
    holds.filter((use) => use.address === address).map((use) => mark(agent, use)),
  );
  const waiters = agents.flatMap(({ agent, waits }) =>
    waits.filter((use) => use.address === address).map((use) => mark(agent, use, use.how)),
  );
  return { kind, name, address, closed, holders, waiters: waiters.sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0)) };
}

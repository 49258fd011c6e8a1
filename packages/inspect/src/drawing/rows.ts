// What a report says, one row for each primitive: the threads that hold it, and those that wait for it, the longest
// wait first.

/** What a view needs of `arena.inspect()`. A report that has travelled as JSON will do. */
export interface ViewReport {
  readonly agents: readonly {
    readonly agent: number;
    readonly life?: string;
    readonly holds: readonly ViewUse[];
    readonly waits: readonly (ViewUse & { readonly since: number; readonly how?: string })[];
  }[];
  readonly blocks: readonly {
    readonly kind: string;
    readonly name: string;
    readonly address: number;
    readonly closed?: boolean;
    readonly turn?: Turn;
    readonly platoon?: Platoon;
  }[];
  /** As `findDeadlocks` returns them. Default: none. */
  readonly deadlocks?: readonly ViewDeadlock[];
}

/** A primitive as one of its holders or waiters has it. */
export interface ViewUse {
  readonly kind: string;
  readonly name: string;
  readonly address: number;
  readonly permits: number;
  /** ms since 1970 */
  readonly since?: number;
}

/** A cycle of waits. */
export interface ViewDeadlock {
  readonly certain: boolean;
  readonly waits: readonly {
    readonly agent: number;
    readonly waitsFor: { readonly address: number };
    readonly heldBy: number;
  }[];
}

/** At a lock in turns: whose turn it is. */
export interface Turn {
  /** The agent whose turn it is. 0: no agent. */
  readonly of: number;
}

/** At a capacitor: agents enter in platoons of `limit`. */
export interface Platoon {
  readonly limit: number;
  /** The departures until the next platoon enters. */
  readonly left: number;
}

/** 'certain' or 'possible' for the agents and primitives of a deadlock, and '' for all others. */
export type Cycle = '' | 'possible' | 'certain';

export interface AgentMark {
  readonly agent: number;
  readonly permits: number;
  /** How long the agent has held or waited, in ms, if the report says it. */
  readonly ms: number | undefined;
  readonly isAsync: boolean;
  readonly isDead: boolean;
  readonly cycle: Cycle;
}

export interface Row {
  readonly kind: string;
  readonly name: string;
  readonly address: number;
  readonly closed: boolean;
  readonly holders: readonly AgentMark[];
  readonly waiters: readonly AgentMark[];
  /** Holders and waiters that are not in the lists. */
  readonly moreHolders: number;
  readonly moreWaiters: number;
  readonly cycle: Cycle;
  readonly turn?: Turn | undefined;
  readonly platoon?: Platoon | undefined;
}

/** No thread holds these or waits for them. */
const MEMORY = new Set(['region', 'pool', 'free', 'unknown']);

export function isPrimitive({ kind }: { readonly kind: string }): boolean {
  return !MEMORY.has(kind);
}

interface Marks {
  readonly holders: AgentMark[];
  readonly waiters: AgentMark[];
}

/**
 * One row for each primitive of the report, in the order of their addresses. `names`: only these, in this order. `now`:
 * ms since 1970.
 */
export function rowsOf(report: ViewReport, now: number, names?: readonly string[]): Row[] {
  const marks = marksOf(report, now);
  const cycles = new Cycles(report.deadlocks ?? []);
  const rows = report.blocks.filter(isPrimitive).map((block): Row => {
    const { holders = [], waiters = [] } = marks.get(block.address) ?? {};
    return {
      kind: block.kind,
      name: block.name,
      address: block.address,
      closed: block.closed ?? false,
      holders: holders.map((mark) => ({ ...mark, cycle: cycles.of(block.address, mark.agent) })),
      waiters: waiters
        .map((mark) => ({ ...mark, cycle: cycles.of(block.address, mark.agent) }))
        .sort((a, b) => (b.ms ?? 0) - (a.ms ?? 0)),
      moreHolders: 0,
      moreWaiters: 0,
      cycle: cycles.of(block.address),
      turn: block.turn,
      platoon: block.platoon,
    };
  });
  if (names === undefined) return rows;
  return names.flatMap((name) => rows.filter((row) => row.name === name));
}

/** The holders and waiters of all primitives, by address. */
function marksOf({ agents }: ViewReport, now: number): ReadonlyMap<number, Marks> {
  const all = new Map<number, Marks>();
  const at = (address: number): Marks => {
    const known = all.get(address) ?? { holders: [], waiters: [] };
    all.set(address, known);
    return known;
  };
  for (const { agent, life, holds, waits } of agents) {
    const mark = ({ permits, since }: ViewUse, how = ''): AgentMark => ({
      agent,
      permits,
      ms: since === undefined || since === 0 ? undefined : Math.max(0, now - since),
      isAsync: how === 'async',
      isDead: life === 'dead',
      cycle: '',
    });
    for (const use of holds) at(use.address).holders.push(mark(use));
    for (const use of waits) at(use.address).waiters.push(mark(use, use.how));
  }
  return all;
}

/** Which primitives, and which agents at them, are in a deadlock. */
class Cycles {
  readonly #all = new Map<string, Cycle>();

  constructor(deadlocks: readonly ViewDeadlock[]) {
    for (const { certain, waits } of deadlocks) {
      for (const { agent, waitsFor, heldBy } of waits) {
        const { address } = waitsFor;
        for (const key of [`${address}`, `${address} ${agent}`, `${address} ${heldBy}`])
          if (this.#all.get(key) !== 'certain') this.#all.set(key, certain ? 'certain' : 'possible');
      }
    }
  }

  of(address: number, agent?: number): Cycle {
    return this.#all.get(agent === undefined ? `${address}` : `${address} ${agent}`) ?? '';
  }
}

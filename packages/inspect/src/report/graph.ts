// Which agents wait for which, as numbers: agents, what they wait for, and what they hold. Nothing here reads an arena.
//
// Two questions are asked. `stuckAgents`: which agents stay blocked even if every other agent releases all that it
// holds? That is the search for processes that cannot finish in E. W. Dijkstra's banker's algorithm, over blocking
// waits alone. `componentsOf`: which agents wait for each other in a cycle? These are the strongly connected components
// of the graph whose edges lead from an agent to what it waits for, and from there to the agents that hold it
// (R. Tarjan, 1972). Both visit each wait and each holding a bounded number of times.

/** When a wait for a target ends. */
export type Rule =
  /** When all agents that hold a part of it have released it: a lock, a seat, a gate. */
  | { readonly kind: 'all' }
  /** When enough permits are free. `total`: all permits, free or held; absent if their number is not known. */
  | { readonly kind: 'permits'; readonly total?: number }
  /** When any agent acts. The agents that are known to act are listed as its holders. */
  | { readonly kind: 'any' };

export interface GraphWait {
  readonly agent: number;
  readonly target: number;
  readonly amount: number;
  /** Whether the agent can do nothing else until the wait ends. */
  readonly blocks: boolean;
}

export interface GraphHolding {
  readonly agent: number;
  readonly target: number;
  readonly amount: number;
}

export interface Graph<W extends GraphWait = GraphWait> {
  readonly rules: ReadonlyMap<number, Rule>;
  readonly waits: readonly W[];
  readonly holdings: readonly GraphHolding[];
}

/** Agents that wait for each other, directly or through other agents of the component. */
export interface Component<W extends GraphWait = GraphWait> {
  /** Whether its agents stay blocked, whatever the other agents release. */
  readonly certain: boolean;
  readonly agents: readonly number[];
  /** Waits of a shortest cycle through one of the agents. The target of each wait is held by the agent of the next. */
  readonly cycle: readonly W[];
}

/** Counts the steps of a search, so that a test can tell that they grow with the graph and not with its square. */
export interface Steps {
  count: number;
}

/**
 * Returns the components of a graph, the certain ones first. Agents of a certain component are in no other one.
 *
 * A component is certain if its waits block their agents, and if these waits cannot end by releases of agents outside.
 */
export function componentsOf<W extends GraphWait>(
  graph: Graph<W>,
  steps: Steps = { count: 0 },
  first?: number,
): Component<W>[] {
  const stuck = stuckAgents(graph, steps);
  const certain = cyclesOf(
    {
      rules: graph.rules,
      waits: graph.waits.filter((wait) => wait.blocks && stuck.has(wait.agent)),
      holdings: graph.holdings.filter(({ agent }) => stuck.has(agent)),
    },
    steps,
    first,
  );
  const settled = new Set(certain.flatMap(({ agents }) => agents));
  const others = cyclesOf(graph, steps, first).filter(({ agents }) => !agents.some((agent) => settled.has(agent)));
  return [
    ...certain.map((component) => ({ certain: true, ...component })),
    ...others.map((component) => ({ certain: false, ...component })),
  ];
}

/** A target of blocking waits. */
interface Account {
  readonly rule: Rule;
  /** How much of the target is held by agents that cannot go on. */
  held: number;
  /** The blocking waits for it, the smallest need first. */
  readonly waits: GraphWait[];
  /** How many of the waits can end. */
  ended: number;
}

/**
 * Returns the agents that stay blocked even if every agent outside the result releases all that it holds. Waits that do
 * not block count for nothing: their agents may release at any time.
 */
export function stuckAgents(graph: Graph, steps: Steps = { count: 0 }): Set<number> {
  const blocking = graph.waits.filter(({ blocks }) => blocks);
  const open = new Map<number, number>();
  for (const { agent } of blocking) open.set(agent, (open.get(agent) ?? 0) + 1);
  const accounts = accountsOf(graph, blocking);
  const held = new Map<number, GraphHolding[]>();
  for (const holding of graph.holdings) {
    if (!open.has(holding.agent)) continue;
    addTo(held, holding.agent, holding);
    const account = accounts.get(holding.target);
    if (account !== undefined) account.held += holding.amount;
  }
  const changed = [...accounts.values()];
  for (let account = changed.pop(); account !== undefined; account = changed.pop()) {
    for (let wait = account.waits[account.ended]; wait !== undefined; wait = account.waits[account.ended]) {
      steps.count += 1;
      if (!canEnd(account, wait.amount)) break;
      account.ended += 1;
      const left = (open.get(wait.agent) ?? 0) - 1;
      open.set(wait.agent, left);
      if (left > 0) continue;
      open.delete(wait.agent);
      for (const { target, amount } of held.get(wait.agent) ?? []) {
        steps.count += 1;
        const released = accounts.get(target);
        if (released === undefined) continue;
        released.held -= amount;
        if (released !== account) changed.push(released);
      }
    }
  }
  return new Set(open.keys());
}

function accountsOf({ rules }: Graph, waits: readonly GraphWait[]): Map<number, Account> {
  const accounts = new Map<number, Account>();
  for (const wait of waits) {
    const account = accounts.get(wait.target);
    if (account !== undefined) account.waits.push(wait);
    else accounts.set(wait.target, { rule: ruleOf(rules, wait.target), held: 0, waits: [wait], ended: 0 });
  }
  for (const { rule, waits: inLine } of accounts.values())
    inLine.sort((a, b) => needOf(rule, a.amount) - needOf(rule, b.amount));
  return accounts;
}

function ruleOf(rules: ReadonlyMap<number, Rule>, target: number): Rule {
  return rules.get(target) ?? { kind: 'any' };
}

/**
 * How much must be free for a wait to end. A wait for more permits than there are ends when an agent adds some, which
 * any agent may do.
 */
function needOf(rule: Rule, amount: number): number {
  return rule.kind === 'permits' && rule.total !== undefined && amount <= rule.total ? amount : 0;
}

/** Whether a wait can end if all agents that can go on release what they hold. */
function canEnd({ rule, held }: Account, amount: number): boolean {
  if (rule.kind === 'all') return held === 0;
  if (rule.kind === 'any' || rule.total === undefined) return true;
  const need = needOf(rule, amount);
  return need === 0 || rule.total - held >= need;
}

type Cycle<W extends GraphWait> = Pick<Component<W>, 'agents' | 'cycle'>;

/**
 * Returns the strongly connected components that have a cycle. Targets are nodes, too. So thousands of waits for a
 * target with thousands of holders need one edge each, and not one for each pair.
 */
function cyclesOf<W extends GraphWait>({ waits, holdings }: Graph<W>, steps: Steps, first?: number): Cycle<W>[] {
  // Of thousands of async waits of an agent for the same target, the first one is enough.
  const waitsOf = new Map<number, Map<number, W>>();
  const holders = new Map<number, number[]>();
  for (const wait of waits) {
    const known = waitsOf.get(wait.agent);
    if (known === undefined) waitsOf.set(wait.agent, new Map([[wait.target, wait]]));
    else if (!known.has(wait.target)) known.set(wait.target, wait);
  }
  for (const { target, agent } of holdings) addTo(holders, target, agent);
  // Agents and targets are numbered separately: a target's node is -1 - target.
  const next = (node: number): readonly number[] =>
    node >= 0 ? Array.from(waitsOf.get(node)?.keys() ?? [], (target) => -1 - target) : (holders.get(-1 - node) ?? []);
  return stronglyConnected([...waitsOf.keys()], next, steps)
    .filter((nodes) => nodes.length > 1)
    .map((nodes) => {
      const within = new Set(nodes);
      const agents = nodes.filter((node) => node >= 0).sort((a, b) => a - b);
      const [start = 0] = agents;
      const from = first !== undefined && within.has(first) ? first : start;
      return { agents, cycle: shortestCycle(from, within, waitsOf, holders, steps) };
    });
}

/** Returns the waits of a shortest way from an agent back to it, within a strongly connected component. */
function shortestCycle<W extends GraphWait>(
  start: number,
  within: ReadonlySet<number>,
  waitsOf: ReadonlyMap<number, ReadonlyMap<number, W>>,
  holders: ReadonlyMap<number, readonly number[]>,
  steps: Steps,
): W[] {
  /** The wait by which the search came to an agent. */
  const cameBy = new Map<number, W>();
  const seen = new Set<number>();
  const queue = [start];
  for (const agent of queue) {
    for (const wait of waitsOf.get(agent)?.values() ?? []) {
      if (!within.has(-1 - wait.target) || seen.has(wait.target)) continue;
      seen.add(wait.target);
      for (const holder of holders.get(wait.target) ?? []) {
        steps.count += 1;
        if (!within.has(holder) || cameBy.has(holder)) continue;
        cameBy.set(holder, wait);
        if (holder === start) return wayBack(start, cameBy);
        queue.push(holder);
      }
    }
  }
  return [];
}

function wayBack<W extends GraphWait>(start: number, cameBy: ReadonlyMap<number, W>): W[] {
  const way: W[] = [];
  let agent = start;
  do {
    const wait = cameBy.get(agent);
    if (wait === undefined) break;
    way.unshift(wait);
    agent = wait.agent;
  } while (agent !== start);
  return way;
}

/** A node on the way of the search, and how many of its edges were followed. */
interface Visit {
  readonly node: number;
  readonly next: readonly number[];
  followed: number;
}

/** Returns the strongly connected components of what the nodes reach. It keeps a stack of its own: ways may be long. */
function stronglyConnected(
  nodes: readonly number[],
  next: (node: number) => readonly number[],
  steps: Steps,
): number[][] {
  const found = new Map<number, number>();
  const lowest = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const components: number[][] = [];
  const visits: Visit[] = [];
  const enter = (node: number): void => {
    found.set(node, found.size);
    lowest.set(node, found.size - 1);
    open.push(node);
    isOpen.add(node);
    visits.push({ node, next: next(node), followed: 0 });
  };
  const lower = (node: number, to: number): void => {
    lowest.set(node, Math.min(lowest.get(node) ?? to, to));
  };
  const leave = (node: number): void => {
    visits.pop();
    const [low = 0, before] = [lowest.get(node), visits.at(-1)];
    if (before !== undefined) lower(before.node, low);
    if (low !== found.get(node)) return;
    const component = open.splice(open.lastIndexOf(node));
    for (const member of component) isOpen.delete(member);
    components.push(component);
  };
  for (const start of nodes) {
    if (found.has(start)) continue;
    enter(start);
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      steps.count += 1;
      const to = visit.next[visit.followed++];
      if (to === undefined) leave(visit.node);
      else if (!found.has(to)) enter(to);
      else if (isOpen.has(to)) lower(visit.node, found.get(to) ?? 0);
    }
  }
  return components;
}

function addTo<T>(groups: Map<number, T[]>, key: number, value: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}

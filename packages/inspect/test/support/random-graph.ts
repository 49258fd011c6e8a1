// Random graphs of waits, and a checker that tries every order of events.

import type { Random } from '@sluice/harness';
import type { Graph, GraphHolding, GraphWait, Rule } from '../../src/report/graph.ts';

/** Targets have addresses, which no agent's number may be mistaken for. */
const STRIDE = 128;

export function randomGraph(random: Random): Graph {
  const agents = random.between(1, 6);
  const targets = Array.from({ length: random.between(1, 5) }, (_, index) => index * STRIDE);
  const pick = (): number => targets[random.below(targets.length)] ?? 0;
  const waits: GraphWait[] = [];
  const holdings: GraphHolding[] = [];
  for (let agent = 1; agent <= agents; agent++) {
    for (let held = random.below(4); held > 0; held--)
      holdings.push({ agent, target: pick(), amount: random.between(1, 2) });
    const waiting = random.below(4);
    for (let wait = 0; wait < waiting; wait++)
      waits.push({ agent, target: pick(), amount: random.between(1, 2), blocks: wait === 0 && random.below(4) > 0 });
  }
  const heldOf = (target: number): number =>
    holdings.filter((held) => held.target === target).reduce((sum, { amount }) => sum + amount, 0);
  const rules = new Map(
    targets.map((target): [number, Rule] => {
      const kind = random.below(6);
      if (kind < 2) return [target, { kind: 'all' }];
      if (kind === 2) return [target, { kind: 'any' }];
      return [target, kind === 3 ? { kind: 'permits' } : { kind: 'permits', total: heldOf(target) + random.below(2) }];
    }),
  );
  return { rules, waits, holdings };
}

/**
 * Returns the agents that can go on in some order of events. An agent goes on when its blocking waits can end while the
 * agents that have not gone on keep all that they hold. An agent that has gone on has released what it held.
 */
export function agentsThatGoOn(graph: Graph): Set<number> {
  const all = [...new Set([...graph.waits, ...graph.holdings].map(({ agent }) => agent))];
  const ever = new Set<number>();
  const seen = new Set<string>();
  const search = (gone: readonly number[]): void => {
    const state = [...gone].sort((a, b) => a - b).join();
    if (seen.has(state)) return;
    seen.add(state);
    for (const agent of all) {
      if (gone.includes(agent)) continue;
      const blocking = graph.waits.filter((wait) => wait.agent === agent && wait.blocks);
      if (!blocking.every((wait) => ends(graph, wait, gone))) continue;
      ever.add(agent);
      search([...gone, agent]);
    }
  };
  search([]);
  return ever;
}

function ends({ rules, holdings }: Graph, { target, amount }: GraphWait, gone: readonly number[]): boolean {
  const kept = holdings.filter((held) => held.target === target && !gone.includes(held.agent));
  const rule = rules.get(target);
  if (rule?.kind === 'all') return kept.length === 0;
  if (rule?.kind !== 'permits' || rule.total === undefined || amount > rule.total) return true;
  return rule.total - kept.reduce((sum, held) => sum + held.amount, 0) >= amount;
}

/** Returns for each agent those that it waits for, directly or through others (S. Warshall's closure). */
export function waitedFor(
  { holdings }: Pick<Graph, 'holdings'>,
  waits: readonly GraphWait[],
): ReadonlyMap<number, ReadonlySet<number>> {
  const all = [...new Set([...waits, ...holdings].map(({ agent }) => agent))];
  const reach = new Map(
    all.map((agent) => {
      const targets = new Set(waits.filter((wait) => wait.agent === agent).map(({ target }) => target));
      return [agent, new Set(holdings.filter(({ target }) => targets.has(target)).map((held) => held.agent))] as const;
    }),
  );
  for (const through of all)
    for (const from of all)
      if (reach.get(from)?.has(through) === true) for (const to of reach.get(through) ?? []) reach.get(from)?.add(to);
  return reach;
}

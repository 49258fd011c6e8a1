// Compares the search for components with a checker that tries every order of events, on random graphs.

import { depth, Random } from '@sluice/harness';
import { describe, expect, test } from 'vitest';
import {
  componentsOf,
  stuckAgents,
  type Graph,
  type GraphHolding,
  type GraphWait,
  type Rule,
} from '../src/report/graph.ts';
import { agentsThatGoOn, randomGraph, waitedFor } from './support/random-graph.ts';

const GRAPHS = depth === 'full' ? 20_000 : 1000;
const SEED = 33;

describe(`${GRAPHS} random graphs`, () => {
  const random = new Random(SEED);
  const graphs = Array.from({ length: GRAPHS }, () => randomGraph(random));

  test('the stuck agents are those that go on in no order of events', () => {
    for (const graph of graphs) {
      const goOn = agentsThatGoOn(graph);
      const all = new Set([...graph.waits, ...graph.holdings].map(({ agent }) => agent));
      const expected = [...all].filter((agent) => !goOn.has(agent)).sort((a, b) => a - b);
      expect(
        [...stuckAgents(graph)].sort((a, b) => a - b),
        JSON.stringify(graph),
      ).toEqual(expected);
    }
  });

  test('no agent of a certain component goes on in any order of events, and there is one if any agent is stuck', () => {
    let certain = 0;
    for (const graph of graphs) {
      const goOn = agentsThatGoOn(graph);
      const components = componentsOf(graph).filter((component) => component.certain);
      for (const { agents } of components) for (const agent of agents) expect(goOn.has(agent)).toBe(false);
      expect(components.length > 0, JSON.stringify(graph)).toBe(stuckAgents(graph).size > 0);
      certain += components.length;
    }
    expect(certain).toBeGreaterThan(GRAPHS / 50);
  });

  test('the agents that wait for themselves through others are in a component, and no other agents are', () => {
    let possible = 0;
    for (const graph of graphs) {
      const components = componentsOf(graph);
      const reach = waitedFor(graph, graph.waits);
      const settled = new Set(components.filter(({ certain }) => certain).flatMap(({ agents }) => agents));
      // A certain component stands for everything that is in a cycle with one of its agents.
      const isWithSettled = (agent: number): boolean =>
        [...settled].some((other) => reach.get(agent)?.has(other) === true && reach.get(other)?.has(agent) === true);
      const expected = [...reach.keys()].filter(
        (agent) => reach.get(agent)?.has(agent) === true && !isWithSettled(agent),
      );
      const others = components.filter(({ certain }) => !certain).flatMap(({ agents }) => agents);
      expect(
        others.sort((a, b) => a - b),
        JSON.stringify(graph),
      ).toEqual(expected.sort((a, b) => a - b));
      possible += others.length;
    }
    expect(possible).toBeGreaterThan(GRAPHS / 50);
  });

  test('each cycle leads from an agent to the holder of what it waits for, and back, and visits no agent twice', () => {
    for (const graph of graphs) {
      for (const { certain, agents, cycle } of componentsOf(graph)) {
        expect(cycle.length).toBeGreaterThan(0);
        expect(new Set(cycle.map(({ agent }) => agent)).size).toBe(cycle.length);
        for (const [at, wait] of cycle.entries()) {
          const next = cycle[(at + 1) % cycle.length]?.agent;
          expect(graph.waits).toContain(wait);
          expect(agents).toContain(wait.agent);
          if (certain) expect(wait.blocks).toBe(true);
          expect(graph.holdings.some(({ agent, target }) => agent === next && target === wait.target)).toBe(true);
        }
      }
    }
  });
});

/** Graphs of n agents in the shapes that a search with quadratic work would be slow for. */
const SHAPES: Readonly<Record<string, (count: number) => Graph>> = {
  'n waiters at a lock with one holder': (count) =>
    graphOf(
      { kind: 'all' },
      [{ agent: 1, target: 0, amount: 1 }],
      waitsAt(count, () => 0),
    ),
  'n holders and n waiters at a semaphore': (count) =>
    graphOf(
      { kind: 'permits', total: count },
      Array.from({ length: count }, (_, agent) => ({ agent: agent + 1, target: 0, amount: 1 })),
      waitsAt(count, () => 0),
    ),
  'a ring of n agents': (count) =>
    graphOf(
      { kind: 'all' },
      Array.from({ length: count }, (_, at) => ({ agent: at + 1, target: at, amount: 1 })),
      Array.from({ length: count }, (_, at) => ({ agent: at + 1, target: (at + 1) % count, amount: 1, blocks: true })),
    ),
  'a chain of n agents whose last one goes on': (count) =>
    graphOf(
      { kind: 'all' },
      Array.from({ length: count }, (_, at) => ({ agent: at + 1, target: at, amount: 1 })),
      Array.from({ length: count - 1 }, (_, at) => ({ agent: at + 1, target: at + 1, amount: 1, blocks: true })),
    ),
};

function waitsAt(count: number, target: (at: number) => number): GraphWait[] {
  return Array.from({ length: count }, (_, at) => ({ agent: at + 2, target: target(at), amount: 1, blocks: true }));
}

function graphOf(rule: Rule, holdings: readonly GraphHolding[], waits: readonly GraphWait[]): Graph {
  const rules = new Map([...holdings, ...waits].map(({ target }) => [target, rule]));
  return { rules, holdings, waits };
}

test.each(Object.entries(SHAPES))('the search takes steps in proportion to the graph: %s', (_, shape) => {
  const stepsOf = (count: number): number => {
    const steps = { count: 0 };
    componentsOf(shape(count), steps);
    return steps.count;
  };
  const [some, many] = [stepsOf(1000), stepsOf(10_000)];
  expect(some).toBeGreaterThan(500);
  expect(many).toBeLessThan(11 * some);
});

test('a component of permits is certain if every permit is held within it, and possible if another agent holds one', () => {
  const graph = (total: number): Graph => ({
    rules: new Map<number, Rule>([
      [0, { kind: 'permits', total }],
      [128, { kind: 'permits', total: 1 }],
    ]),
    holdings: [
      { agent: 1, target: 0, amount: 1 },
      { agent: 2, target: 128, amount: 1 },
      { agent: 3, target: 0, amount: total - 1 },
    ].filter(({ amount }) => amount > 0),
    waits: [
      { agent: 1, target: 128, amount: 1, blocks: true },
      { agent: 2, target: 0, amount: 1, blocks: true },
    ],
  });
  expect(componentsOf(graph(1))).toMatchObject([{ certain: true, agents: [1, 2] }]);
  expect(componentsOf(graph(2))).toMatchObject([{ certain: false, agents: [1, 2] }]);
});

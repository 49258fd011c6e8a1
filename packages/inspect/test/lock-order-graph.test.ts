// Random histories of nested locks, against a search that tries every cycle without a repeated class.

import { expect, test } from 'vitest';
import { OrderGraph, type OrderEdge } from '../src/lock-order/order-graph.ts';
import type { HoldMode } from '../src/observe/used-primitive.ts';

const GRAPHS = 1000;

/** A generator of numbers below `bound`: the same for a seed. */
function random(seed: number): (bound: number) => number {
  let state = seed + 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

type Edge = OrderEdge<number>;

/** Writers are more frequent. */
const MODES: readonly HoldMode[] = ['write', 'write', 'write', 'read', 'read', 'upgradeable', 'upgrade'];

/** Whether a thread that asks for a lock may have to wait for another one that holds it. */
function canWait(asks: HoldMode, holds: HoldMode): boolean {
  // One thread at a time is a writer, or may become one.
  if (asks === 'upgrade') return holds === 'read';
  if (asks === 'read') return holds === 'write';
  return asks === 'write' || holds !== 'read';
}

/** The edges of the calls of some threads, each of which holds up to four locks at once. */
function history(next: (bound: number) => number): Edge[] {
  const classes = 2 + next(6);
  const edges: Edge[] = [];
  for (let walk = 4 + next(12); walk > 0; walk--) {
    const held: (readonly [id: number, mode: HoldMode])[] = [];
    for (let depth = 1 + next(4); depth > 0; depth--) {
      const asked = next(classes);
      const asks = MODES[next(MODES.length)] ?? 'write';
      if (held.some(([id]) => id === asked)) continue;
      for (const [id, holds] of held) edges.push({ held: id, holds, asked, asks, step: edges.length });
      // After an upgrade the thread is a writer.
      held.push([asked, asks === 'upgrade' ? 'write' : asks]);
    }
  }
  return edges;
}

/** The shortest cycles through the last edge, by trying all ways. Returns their length, or 0. */
function bruteForce(edges: readonly Edge[]): number {
  const last = edges.at(-1) as Edge;
  let best = 0;
  const go = (way: readonly Edge[]): void => {
    const end = way.at(-1) as Edge;
    if (end.asked === last.held) {
      const meets = way.every((edge, at) => {
        const after = way[(at + 1) % way.length] as Edge;
        return edge.asked === after.held && canWait(edge.asks, after.holds);
      });
      if (meets && (best === 0 || way.length < best)) best = way.length;
      return;
    }
    for (const edge of edges)
      if (edge.held === end.asked && !way.some(({ held }) => held === edge.held)) go([...way, edge]);
  };
  go([last]);
  return best;
}

function isCycle(way: readonly Edge[]): boolean {
  const classes = new Set(way.map(({ held }) => held));
  return (
    classes.size === way.length &&
    way.every((edge, at) => {
      const after = way[(at + 1) % way.length] as Edge;
      return edge.asked === after.held && canWait(edge.asks, after.holds);
    })
  );
}

test(`${GRAPHS} histories: an edge closes a cycle if and only if a search of all ways finds one`, () => {
  let closed = 0;
  let open = 0;
  for (let seed = 0; seed < GRAPHS; seed++) {
    const graph = new OrderGraph<number>();
    const added: Edge[] = [];
    for (const edge of history(random(seed * 7919))) {
      if (graph.add(edge) !== edge) continue;
      added.push(edge);
      const after = graph.cycleThrough(edge);
      const expected = bruteForce(added);
      if (after === undefined) {
        expect([seed, expected]).toEqual([seed, 0]);
        open += 1;
      } else {
        expect([seed, isCycle([edge, ...after]), expected > 0]).toEqual([seed, true, true]);
        closed += 1;
      }
    }
  }
  // Both happen often, so that the comparison says something.
  expect(Math.min(open, closed)).toBeGreaterThan(GRAPHS);
});

test('a class that is given up is part of no cycle', () => {
  const graph = new OrderGraph<number>();
  const edge = (held: number, asked: number): Edge => ({
    held,
    asked,
    holds: 'write',
    asks: 'write',
    step: 0,
  });
  graph.add(edge(1, 2));
  graph.add(edge(2, 3));
  const last = graph.add(edge(3, 1));
  expect(graph.cycleThrough(last)?.map(({ held }) => held)).toEqual([1, 2]);
  graph.exclude(2);
  expect(graph.cycleThrough(last)).toBeUndefined();
});

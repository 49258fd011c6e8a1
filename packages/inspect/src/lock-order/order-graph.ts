// The order of locks as a graph: an edge from each class of locks that was held to each class that was asked for then.
// A cycle of edges is an order in which threads can wait for each other.
//
// As in Linux's lockdep, an edge knows how its locks were held and asked for. Two edges that meet at a class are part
// of a deadlock only if the one thread's hold can keep the other thread out: two readers do not.

import type { HoldMode } from '../observe/used-primitive.ts';

/** The number of a class in a graph. */
export type ClassId = number;

/** A lock of the class `asked` was asked for while one of the class `held` was held. */
export interface OrderEdge<Step> {
  readonly held: ClassId;
  /** How the thread held it. */
  readonly holds: HoldMode;
  readonly asked: ClassId;
  /** How the thread asked for it. */
  readonly asks: HoldMode;
  /** What is told of the edge in reports. */
  step: Step;
}

/** The most edges that the search for a cycle without a repeated class looks at. */
const MAX_LOOKS = 100_000;

export class OrderGraph<Step> {
  readonly #from = new Map<ClassId, OrderEdge<Step>[]>();
  readonly #excluded = new Set<ClassId>();

  /** Adds an edge. Returns that of the graph, which may be older. */
  add(edge: OrderEdge<Step>): OrderEdge<Step> {
    const edges = this.#from.get(edge.held);
    const known = edges?.find((other) => isSame(other, edge));
    if (known !== undefined) return known;
    if (edges === undefined) this.#from.set(edge.held, [edge]);
    else edges.push(edge);
    return edge;
  }

  /** Gives up a class: it is part of no cycle any more. */
  exclude(id: ClassId): void {
    this.#excluded.add(id);
  }

  isExcluded(id: ClassId): boolean {
    return this.#excluded.has(id);
  }

  /**
   * Returns the edges of a short cycle through that edge, which come after it, or `undefined` if there is none. Each
   * class is in it once.
   */
  cycleThrough(edge: OrderEdge<Step>): readonly OrderEdge<Step>[] | undefined {
    if (edge.held === edge.asked || this.#excluded.has(edge.held) || this.#excluded.has(edge.asked)) return undefined;
    const shortest = this.#shortest(edge);
    // The shortest path may visit a class twice, once as a reader. No deadlock matches such a path, so search for one
    // without repetition.
    return shortest === undefined || isSimple(shortest) ? shortest : this.#simple(edge);
  }

  /** The edges that can follow `last` in a cycle: what `last` asked for is held in them, in a conflicting way. */
  *#after(last: OrderEdge<Step>): Iterable<OrderEdge<Step>> {
    for (const next of this.#from.get(last.asked) ?? [])
      if (conflict(last, next) && !this.#excluded.has(next.asked)) yield next;
  }

  #shortest(edge: OrderEdge<Step>): readonly OrderEdge<Step>[] | undefined {
    const before = new Map<OrderEdge<Step>, OrderEdge<Step>>();
    // How a path continues depends only on its last class, and on how that was asked for.
    const seen = new Set<string>([stateOf(edge)]);
    const queue: OrderEdge<Step>[] = [edge];
    for (let last = queue.shift(); last !== undefined; last = queue.shift()) {
      for (const next of this.#after(last)) {
        const closes = next.asked === edge.held && conflict(next, edge);
        if (!closes && (next.asked === edge.held || seen.has(stateOf(next)))) continue;
        seen.add(stateOf(next));
        before.set(next, last);
        if (closes) return wayTo(next, edge, before);
        queue.push(next);
      }
    }
    return undefined;
  }

  #simple(edge: OrderEdge<Step>): readonly OrderEdge<Step>[] | undefined {
    const visited = new Set<ClassId>([edge.held, edge.asked]);
    const way: OrderEdge<Step>[] = [];
    let looks = 0;
    const search = (last: OrderEdge<Step>): boolean => {
      for (const next of this.#after(last)) {
        looks += 1;
        if (looks > MAX_LOOKS) return false;
        way.push(next);
        if (next.asked === edge.held) {
          if (conflict(next, edge)) return true;
        } else if (!visited.has(next.asked)) {
          visited.add(next.asked);
          if (search(next)) return true;
          visited.delete(next.asked);
        }
        way.pop();
      }
      return false;
    };
    return search(edge) ? way : undefined;
  }
}

/** By how a thread asks for a lock: the holds of another thread that keep it out. */
const KEPT_OUT_BY: Readonly<Record<HoldMode, readonly HoldMode[]>> = {
  read: ['write'],
  write: ['read', 'write', 'upgradeable'],
  upgradeable: ['write', 'upgradeable'],
  // The upgradeable reader has kept out the others.
  upgrade: ['read'],
};

/** Whether the hold of the thread of `next` can keep out the thread of `last`, which asks for the same class. */
function conflict(last: OrderEdge<unknown>, next: OrderEdge<unknown>): boolean {
  return KEPT_OUT_BY[last.asks].includes(next.holds);
}

function isSame(one: OrderEdge<unknown>, other: OrderEdge<unknown>): boolean {
  return one.asked === other.asked && one.asks === other.asks && one.holds === other.holds;
}

function stateOf({ asked, asks }: OrderEdge<unknown>): string {
  return `${asked} ${asks}`;
}

function isSimple(way: readonly OrderEdge<unknown>[]): boolean {
  return new Set(way.map(({ held }) => held)).size === way.length;
}

function wayTo<Step>(
  last: OrderEdge<Step>,
  first: OrderEdge<Step>,
  before: ReadonlyMap<OrderEdge<Step>, OrderEdge<Step>>,
): readonly OrderEdge<Step>[] {
  const way: OrderEdge<Step>[] = [];
  for (let edge: OrderEdge<Step> | undefined = last; edge !== undefined && edge !== first; edge = before.get(edge))
    way.unshift(edge);
  return way;
}

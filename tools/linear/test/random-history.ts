// Small histories of a correct queue, and the same histories with a change. Some of the changed histories are wrong.

import type { Operation, Outcome, QueueSpec } from '../src/history.ts';
import type { Random } from '../../harness/src/random.mjs';

type Writable = { -readonly [Key in keyof Operation]: Operation[Key] };

export function randomSpec(random: Random): QueueSpec {
  const room = random.between(1, 3);
  return random.chance(70) ? { room } : { room: room + 1, unitsOf: (value) => 1 + (value % 2) };
}

/** The operations of a thread that performs each operation at an unknown moment between its beginning and its end. */
export function randomHistory(random: Random, { room, unitsOf = () => 1 }: QueueSpec, size: number): Operation[] {
  const queue: number[] = [];
  let closed = false;
  let value = 0;
  const free = (): number => room - queue.reduce((sum, inside) => sum + unitsOf(inside), 0);

  function push(): [Outcome, number[]] {
    const offered = Array.from({ length: random.chance(70) ? 1 : 2 }, () => (value += 1));
    if (closed) return ['closed', offered];
    const taken: number[] = [];
    for (const one of offered) {
      if (unitsOf(one) > free()) break;
      taken.push(one);
      queue.push(one);
    }
    return taken.length > 0 ? ['done', taken] : ['refused', offered];
  }

  function pop(): [Outcome, number[]] {
    const values = queue.splice(0, random.chance(70) ? 1 : 2);
    return values.length > 0 ? ['done', values] : [closed ? 'closed' : 'refused', []];
  }

  return Array.from({ length: size }, (_, index) => {
    const kind = random.chance(8) ? 'close' : random.chance(55) ? 'push' : 'pop';
    const [outcome, values]: [Outcome, number[]] = kind === 'close' ? ['done', []] : kind === 'push' ? push() : pop();
    if (kind === 'close') closed = true;
    const at = index * 10;
    const reach = (): number => random.below(random.pick([5, 12, 25])) + (index + 1) / (size + 2);
    return { kind, outcome, values, began: at - reach(), ended: at + reach() + 0.5 / (size + 2) };
  });
}

/** Returns the history with a pending operation, another order, or another outcome. */
export function changed(random: Random, history: readonly Operation[]): Operation[] {
  const operations: Writable[] = history.map((operation) => ({ ...operation }));
  const one = random.pick(operations);
  const other = random.pick(operations);
  const way = random.below(6);
  if (way === 0) {
    const values = one.kind === 'push' ? one.values : [];
    Object.assign(one, { outcome: 'pending', ended: Infinity, values, most: 2 });
  } else if (way === 1) {
    [one.began, one.ended, other.began, other.ended] = [other.began, other.ended, one.began, one.ended];
  } else if (way === 2 && one.kind === 'pop' && other.kind === 'pop') {
    [one.values, one.outcome, other.values, other.outcome] = [other.values, other.outcome, one.values, one.outcome];
  } else if (way === 3 && one.outcome === 'done' && one.kind !== 'close') {
    one.outcome = random.pick(['refused', 'closed', 'gone']);
    if (one.kind === 'pop') one.values = [];
  } else if (way === 4) {
    one.began = Math.min(one.began + random.below(30), one.ended - 0.001);
  } else if (way === 5) {
    one.ended = Math.max(one.ended - random.below(30), one.began + 0.001);
  }
  // Only a pending operation has no end.
  return operations.map((operation) => {
    const { outcome, began, ended } = operation;
    if (outcome === 'pending') return { ...operation, ended: Infinity };
    return ended === Infinity ? { ...operation, ended: Math.floor(began) + 1000 + (began % 1) / 2 } : operation;
  });
}

// Tries every order of the operations on a plain list. This is slow, but obviously correct.

import type { Operation, QueueSpec } from '../src/history.ts';

interface State {
  readonly queue: readonly number[];
  readonly closed: boolean;
}

export function bruteForce(operations: readonly Operation[], { room, unitsOf = () => 1 }: QueueSpec): boolean {
  const units = (values: readonly number[]): number => values.reduce((sum, value) => sum + unitsOf(value), 0);
  const isPop = ({ kind }: Operation): boolean => kind === 'pop';
  const during = (refusal: Operation): Operation[] =>
    operations.filter((other) => other !== refusal && other.began < refusal.ended && refusal.began < other.ended);
  const givenUp = (refusal: Operation): Operation[] =>
    operations.filter((other) => {
      const hasEnded =
        isPop(other) === isPop(refusal) && ['refused', 'gone'].includes(other.outcome) && other.ended < refusal.began;
      const isDoneSince = (later: Operation): boolean =>
        isPop(later) === isPop(refusal) &&
        later.outcome === 'done' &&
        later.began >= other.ended &&
        later.ended < refusal.began;
      return hasEnded && !operations.some(isDoneSince);
    });
  const isExcused = (refusal: Operation): boolean =>
    during(refusal).some((other) => isPop(other) === isPop(refusal) || givenUp(refusal).length > 0);

  /** Returns the possible states after the operation. An empty list means that it cannot happen now. */
  function after(operation: Operation, { queue, closed }: State): State[] {
    const { kind, outcome, values, most = 1 } = operation;
    const same = [{ queue, closed }];
    const first = (count: number): number[] => queue.slice(0, count);
    if (outcome === 'gone' || (outcome === 'refused' && isExcused(operation))) return same;
    if (kind === 'close') return [{ queue, closed: true }];
    if (kind === 'push') {
      if (outcome === 'closed') return closed ? same : [];
      if (outcome === 'refused') return !closed && units(queue) + units(values.slice(0, 1)) > room ? same : [];
      const counts = outcome === 'pending' ? values.map((_, index) => index + 1) : [values.length];
      const added = counts.map((count) => [...queue, ...values.slice(0, count)]);
      return closed ? [] : added.filter((all) => units(all) <= room).map((all) => ({ queue: all, closed }));
    }
    if (outcome === 'closed') return closed && queue.length === 0 ? same : [];
    if (outcome === 'refused') return !closed && queue.length === 0 ? same : [];
    if (outcome === 'done') {
      return first(values.length).join() === values.join() ? [{ queue: queue.slice(values.length), closed }] : [];
    }
    return Array.from({ length: Math.min(most, queue.length) }, (_, index) => ({
      queue: queue.slice(index + 1),
      closed,
    }));
  }

  function goOn(left: readonly Operation[], state: State): boolean {
    if (left.every(({ outcome }) => outcome === 'pending')) return true;
    const end = Math.min(...left.map(({ ended }) => ended));
    return left.some((operation) => {
      if (operation.began > end) return false;
      const others = left.filter((other) => other !== operation);
      return after(operation, state).some((next) => goOn(others, next));
    });
  }

  return goOn(operations, { queue: [], closed: false });
}

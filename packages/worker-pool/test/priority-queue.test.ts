// Tests the line of tasks that wait for a slot, without a pool.

import { expect, test } from 'vitest';
import { PriorityQueue } from '../src/tasks/priority-queue.ts';
import type { PoolTask } from '../src/tasks/pool-task.ts';

/** The members of a task that the line reads. */
interface Waiting {
  readonly name: string;
  readonly settings: { readonly priority: number };
  settled: boolean;
  next: Waiting | undefined;
}

function add(line: PriorityQueue, name: string, priority: number): Waiting {
  const task: Waiting = { name, settings: { priority }, settled: false, next: undefined };
  line.add(task as unknown as PoolTask);
  return task;
}

/** Cancels a task in line, as the pool does. */
function cancel(line: PriorityQueue, task: Waiting): void {
  line.noteCancelled();
  task.settled = true;
}

test('cancelled tasks of a low priority do not accumulate while tasks of a high priority keep arriving', () => {
  const line = new PriorityQueue();
  const first = add(line, 'first', -1);
  for (let count = 0; count < 1000; count++) {
    cancel(line, add(line, `low ${count}`, count % 2 === 0 ? -1 : -2));
    add(line, 'high', 1);
    expect((line.take() as unknown as Waiting).name).toBe('high');
  }
  let linked = 0;
  for (let task = first.next; task !== undefined; task = task.next) linked += 1;
  expect([linked < 100, line.length]).toEqual([true, 1]);
  const last = add(line, 'last', -1);
  add(line, 'before', 0);
  expect([1, 2, 3, 4].map(() => (line.take() as unknown as Waiting | undefined)?.name)).toEqual([
    'before',
    'first',
    'last',
    undefined,
  ]);
  expect([line.length, last.next]).toEqual([0, undefined]);
});

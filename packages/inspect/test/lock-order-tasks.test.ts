// Tests which tasks of a thread the check of the order of locks keeps.

import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { Hold } from '../src/lock-order/held-locks.ts';
import { RunTasks, type RunTask } from '../src/lock-order/tasks.ts';

/** A `runAsync` whose lock is free: its body runs at once. Returns its task, and the function that unlocks the lock. */
function runAsync(tasks: RunTasks, body: () => void): { readonly task: RunTask; readonly unlock: () => void } {
  const inner = tasks.begin(body);
  const task = tasks.takeAsking();
  if (task === undefined) throw new Error('A task that has begun asks for its lock.');
  tasks.asked();
  const hold = new Hold({} as never, {} as never, '', undefined);
  task.hold = hold;
  inner();
  return { task, unlock: () => (hold.isOpen = false) };
}

/** The tasks around a task that hold their locks. */
function around(task: RunTask): RunTask[] {
  const found: RunTask[] = [];
  for (let outer = task.outer(); outer !== undefined; outer = outer.outer()) found.push(outer);
  return found;
}

/** The number of tasks that a task keeps in memory. */
function kept(task: RunTask): number {
  let count = 0;
  for (let { around: at } = task; at !== undefined; { around: at } = at) count += 1;
  return count;
}

test('a task knows the tasks around it that hold their locks', () => {
  const tasks = new RunTasks();
  let inner: RunTask | undefined;
  const outer = runAsync(tasks, () => {
    const middle = runAsync(tasks, () => {
      inner = runAsync(tasks, () => undefined).task;
    });
    middle.unlock();
  });
  expect(around(inner as RunTask)).toEqual([outer.task]);
  outer.unlock();
  expect(around(inner as RunTask)).toEqual([]);
});

test.each(['before', 'after'])(
  'a task that arms the next one keeps none that has ended, if it unlocks %s it',
  (when) => {
    const tasks = new RunTasks();
    const counts: number[] = [];
    let next = (): void => undefined;
    const arm = (): void => {
      let go = (): void => undefined;
      const { task, unlock } = runAsync(tasks, () => {
        // As a timer does, it keeps the context in which it was armed.
        go = AsyncLocalStorage.bind(() => {
          if (when === 'before') unlock();
          arm();
          if (when === 'after') unlock();
        });
      });
      counts.push(kept(task));
      next = go;
    };
    arm();
    for (let round = 0; round < 20; round++) next();
    // At most the one that still holds its lock.
    expect(counts).toEqual([0, ...Array.from({ length: 20 }, () => (when === 'before' ? 0 : 1))]);
  },
);

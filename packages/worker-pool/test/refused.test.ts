// Tests a buffer that throws after a task has taken a slot and before the task is in the buffer.

import { expect, test, vi } from 'vitest';
import { PoolQueue } from '../src/tasks/pool-queue.ts';
import type { PoolTask } from '../src/tasks/pool-task.ts';

const FAULT = new Error('the fault');

interface Fake {
  readonly queue: PoolQueue;
  /** Sets whether the buffer refuses tasks from now on. */
  readonly refuse: (isRefused: boolean) => void;
  readonly refused: PoolTask[];
  readonly withdrawn: number[];
}

const SLOTS = 2;

function makeQueue(): Fake {
  let isRefused = false;
  const refused: PoolTask[] = [];
  const withdrawn: number[] = [];
  let popped = 0;
  const tasks = {
    room: 1e6,
    length: 0,
    get popped() {
      return popped;
    },
    tryPush: () => {
      if (isRefused) throw FAULT;
      return true;
    },
  };
  const slotTable = {
    assign: vi.fn(),
    withdraw: (slot: number) => withdrawn.push(slot) > 0,
    takenBy: () => 0,
    leadership: { announce: () => 0 },
  };
  const codec = { toBytes: () => undefined };
  const queue = new PoolQueue({ tasks, slotTable } as never, SLOTS, SLOTS, codec as never, {
    onIdle: () => undefined,
    onRefused: (task) => void refused.push(task),
    onWakeLeader: () => undefined,
  });
  popped = 0;
  return { queue, refuse: (is) => (isRefused = is), refused, withdrawn };
}

function task(priority = 0): PoolTask {
  return {
    settings: { priority, transferList: [], file: undefined },
    sent: 1,
    slot: -1,
    generation: 0,
    order: 0,
    settled: false,
    hasEnded: false,
    next: undefined,
    leaveSlot(this: { slot: number }) {
      this.slot = -1;
    },
  } as unknown as PoolTask;
}

test('a task that the buffer refuses frees its slot, and the pool is idle', async () => {
  const { queue, refuse, withdrawn } = makeQueue();
  refuse(true);
  for (let round = 0; round < 2 * SLOTS; round++) {
    const refused = task();
    expect(() => queue.add(refused)).toThrow(FAULT);
    expect(refused.slot).toBe(-1);
  }
  // So no worker runs an entry that is already in the buffer.
  expect(withdrawn).toHaveLength(2 * SLOTS);
  expect([queue.occupied, queue.isFull]).toEqual([0, false]);
  await queue.idle();
});

test('if the buffer refuses a task from the line, only that task fails, and the end of the other task is reported', () => {
  const { queue, refuse, refused } = makeQueue();
  const first = [task(), task()];
  const waiting = [task(), task()];
  for (const each of [...first, ...waiting]) queue.add(each);
  refuse(true);
  queue.release(first[0] as PoolTask);
  expect(refused).toEqual(waiting);
  expect(queue.occupied).toBe(1);
  refuse(false);
  const next = task();
  queue.add(next);
  expect([next.slot >= 0, queue.occupied]).toEqual([true, 2]);
});

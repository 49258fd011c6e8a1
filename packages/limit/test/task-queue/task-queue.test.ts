// One task queue of one agent, and one that several agents share.

import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';
import { Arena, hasCode, TimeoutError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { TaskQueue, type TaskQueueOptions } from '../../src/index.ts';
import { Stage, turns } from '../support/gate.ts';

const arena = Arena.create({ maxPages: 64, policy: { buckets: 8 } });
const other = secondAgent(arena);

interface Pair {
  readonly ours: TaskQueue;
  readonly theirs: TaskQueue;
  readonly stage: Stage;
  readonly play: (queue: TaskQueue, ...names: string[]) => Promise<string>[];
}

function pair(options: TaskQueueOptions = {}): Pair {
  const ours = TaskQueue.create({ arena, ...options });
  const theirs = openAs(other, ours.handle, (handle) => TaskQueue.from(handle));
  const stage = new Stage();
  const play = (queue: TaskQueue, ...names: string[]): Promise<string>[] =>
    names.map((name) => queue.add(() => stage.play(name)));
  return { ours, theirs, stage, play };
}

const INTERVALS = [
  ['without an interval', {}],
  ['with an interval', { interval: 3_600_000, intervalCap: 1000 }],
] as const;

describe.each(INTERVALS)('a task queue %s', (_, interval) => {
  test('starts a task inside add() while a slot is free, and counts the tasks of all agents', async () => {
    const { ours, theirs, stage, play } = pair({ ...interval, concurrency: 2 });
    const all = [...play(ours, 'a'), ...play(theirs, 'b')];
    expect(stage.began).toEqual(['a', 'b']);
    all.push(...play(ours, 'c'), ...play(theirs, 'd', 'e'));
    for (const queue of [ours, theirs]) expect([queue.size, queue.pending]).toEqual([3, 2]);
    expect(ours.inspect()).toMatchObject({ kind: 'task-queue', activeCount: 2, pendingCount: 3, isPaused: false });
    await stage.endAll();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([ours.size, theirs.pending]).toEqual([0, 0]);
    ours.free();
  });

  test('pause() keeps the tasks of all agents from starting, and start() of another agent lets them start', async () => {
    const { ours, theirs, stage, play } = pair({ ...interval, concurrency: 1, autoStart: false });
    const all = [...play(ours, 'a', 'b'), ...play(theirs, 'c')];
    await turns();
    expect([stage.began, ours.size, ours.pending, theirs.isPaused]).toEqual([[], 3, 0, true]);
    theirs.start();
    await turns();
    expect(stage.began).toEqual(['c']);
    ours.pause();
    await stage.end('c');
    expect([stage.began, theirs.isPaused, theirs.size]).toEqual([['c'], true, 2]);
    ours.start();
    await turns();
    expect(stage.began).toEqual(['c', 'a']);
    await stage.endAll();
    await Promise.all(all);
    expect(stage.began).toEqual(['c', 'a', 'b']);
    ours.free();
  });

  test('a task that waits in another agent when the queue is paused keeps its place before later tasks', async () => {
    const { ours, theirs, stage, play } = pair({ ...interval, concurrency: 1 });
    const all = [...play(ours, 'x'), ...play(theirs, 'a', 'b', 'c')];
    await turns();
    ours.pause();
    await stage.end('x');
    all.push(...play(theirs, 'd'));
    await turns();
    expect([stage.running, theirs.size]).toEqual([[], 4]);
    theirs.start();
    for (const name of ['a', 'b', 'c', 'd']) {
      await turns();
      expect(stage.running).toEqual([name]);
      await stage.end(name);
    }
    await Promise.all(all);
    ours.free();
  });

  test('onIdle(), onPendingZero() and onSizeLessThan() wait for the tasks of all agents', async () => {
    const { ours, theirs, stage, play } = pair({ ...interval, concurrency: 1 });
    const all = play(theirs, 'a', 'b', 'c');
    const events: string[] = [];
    const note = (event: string) => (): void => void events.push(event);
    const ends = [
      ours.onIdle().then(note('idle')),
      ours.onEmpty().then(note('empty')),
      ours.onSizeLessThan(2).then(note('fewer than 2')),
    ];
    await turns();
    expect(events).toEqual([]);
    await stage.end('a');
    expect(events).toEqual(['fewer than 2']);
    await stage.end('b');
    expect(events).toEqual(['fewer than 2', 'empty']);
    ends.push(ours.onPendingZero().then(note('none runs')));
    await stage.end('c');
    await Promise.all([...all, ...ends]);
    expect(events.slice(2).sort()).toEqual(['idle', 'none runs']);
    await Promise.all([ours.onIdle(), ours.onEmpty(), ours.onPendingZero(), ours.onSizeLessThan(1)]);
    ours.free();
  });

  test('setPriority() moves a waiting task, and clear() drops the tasks of its object only', async () => {
    const { ours, theirs, stage, play } = pair({ ...interval, concurrency: 1 });
    const second = openAs(arena, ours.handle, (handle) => TaskQueue.from(handle));
    const first = play(ours, 'x');
    const tasks = ['a', 'b', 'c'].map((id) => ours.add(() => stage.play(id), { id }));
    const others = [...play(second, 's'), ...play(theirs, 't')];
    ours.setPriority('c', 1);
    expect([ours.sizeBy({ priority: 1 }), ours.sizeBy({ priority: 0 }), second.sizeBy({ priority: 0 })]).toEqual([
      1, 2, 1,
    ]);
    ours.pause();
    ours.setPriority('b', 2);
    expect(() => ours.setPriority('d', 1)).toThrow('No promise function with the id "d" exists in the queue.');
    ours.start();
    await stage.end('x');
    await stage.end('t');
    expect(stage.running).toEqual(['b']);
    ours.clear();
    expect([ours.size, second.size]).toEqual([1, 1]);
    await stage.endAll();
    await Promise.all([...first, tasks[1], ...others]);
    expect(stage.began).toEqual(['x', 't', 'b', 's']);
    ours.free();
  });

  test('an abort removes a waiting task, a held task and the promise of a running one', async () => {
    const { ours, stage } = pair({ ...interval, concurrency: 1 });
    const aborts = Array.from({ length: 3 }, () => new AbortController());
    const tasks = aborts.map(({ signal }, index) => ours.add(() => stage.play(`${index}`), { signal }));
    const ends = Promise.all(tasks.map((task) => task.catch((reason: unknown) => reason)));
    aborts[2]?.abort('waiting');
    expect(ours.size).toBe(1);
    ours.pause();
    aborts[1]?.abort('held');
    expect(ours.size).toBe(0);
    ours.start();
    aborts[0]?.abort('running');
    expect(await ends).toEqual(['running', 'held', 'waiting']);
    expect([ours.pending, stage.began]).toEqual([0, ['0']]);
    ours.free();
  });

  test('close() rejects waiting and held tasks of all agents, and the waits for changes', async () => {
    const { ours, theirs, stage, play } = pair({ ...interval, concurrency: 1 });
    const running = play(ours, 'x');
    const waiting = [...play(ours, 'a'), ...play(theirs, 'b')];
    const idle = theirs.onIdle();
    const ends = Promise.all(
      [...waiting, idle].map((end) => end.catch((reason: unknown) => hasCode(reason, 'SLUICE_CLOSED'))),
    );
    theirs.pause();
    ours.close();
    expect(await ends).toEqual([true, true, true]);
    await expect(ours.add(() => 1)).rejects.toThrow('closed');
    await stage.endAll();
    expect(await Promise.all(running)).toEqual(['x']);
    ours.free();
  });
});

test('the functions of waiting tasks run in the async context of their add()', async () => {
  const { ours, stage, play } = pair({ concurrency: 1 });
  const context = new AsyncLocalStorage<string>();
  const first = play(ours, 'x');
  const seen = ['a', 'b'].map((name) => context.run(name, () => ours.add(() => context.getStore())));
  await stage.endAll();
  await Promise.all(first);
  expect(await Promise.all(seen)).toEqual(['a', 'b']);
  ours.free();
});

test('a task whose function runs longer than its timeout rejects and frees its slot', async () => {
  const { ours, stage } = pair({ concurrency: 1, timeout: 1, name: 'slow' });
  const late = ours.add(() => stage.play('late'), { id: 'download' });
  const next = ours.add(() => 'next', { timeout: undefined });
  const failure = await late.catch((reason: unknown) => reason);
  expect(failure).toBeInstanceOf(TimeoutError);
  expect(String(failure)).toContain(
    `TaskQueue 'slow': task "download" timed out after 1 ms. Its function may continue.`,
  );
  expect(await next).toBe('next');
  expect(stage.running).toEqual(['late']);
  await ours.onIdle();
  ours.free();
});

test('runningTasks lists the tasks of the object that run', async () => {
  const { ours, theirs, stage, play } = pair({ concurrency: 2 });
  const all = [
    ...play(theirs, 't'),
    ours.add(() => stage.play('a'), { priority: 3, timeout: 10_000 }),
    ...play(ours, 'b'),
  ];
  expect(ours.runningTasks).toMatchObject([{ id: '1', priority: 3, timeout: 10_000 }]);
  expect(ours.runningTasks[0]?.timeoutRemaining).toBeGreaterThan(0);
  await stage.endAll();
  await Promise.all(all);
  expect(ours.runningTasks).toEqual([]);
  ours.free();
});

test('an error that a listener throws does not reach the task', async () => {
  const { ours } = pair();
  const thrown: unknown[] = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', (failure) => thrown.push(failure));
  try {
    ours.on('completed', () => {
      throw new Error('of the listener');
    });
    expect(await ours.add(() => 1)).toBe(1);
    await turns();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
  }
  expect(thrown.map(String)).toEqual(['Error: of the listener']);
  ours.free();
});

test('once() listens once, off() removes a listener, and listenerCount() counts', async () => {
  const { ours } = pair();
  const seen: string[] = [];
  const listener = (result: unknown): void => void seen.push(`on ${String(result)}`);
  ours.on('completed', listener).once('completed', (result) => seen.push(`once ${String(result)}`));
  expect(ours.listenerCount('completed')).toBe(2);
  await ours.add(() => 1);
  await ours.add(() => 2);
  ours.off('completed', listener);
  await ours.add(() => 3);
  expect(seen).toEqual(['on 1', 'once 1', 'on 2']);
  expect(ours.listenerCount('completed')).toBe(0);
  ours.free();
});

test('a console shows the state of the queue', () => {
  const { ours } = pair({ concurrency: 2, name: 'downloads', autoStart: false });
  expect(inspect(ours)).toBe("TaskQueue { name: 'downloads', concurrency: 2, pending: 0, size: 0, paused: true }");
  ours.free();
});

// The priority of limit.run(): the order of the waiting calls of one agent.

import { Arena } from '@sluice/core';
import { Session } from '@sluice/harness';
import { expect, test } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { createLimit } from '../src/index.ts';
import { PriorityLine, type Ranked } from '../src/calls/priority-line.ts';
import { attachAs } from './support/agents.ts';
import { Stage, turns } from './support/gate.ts';

test('calls of a higher priority start first, and calls of one priority start in FIFO order', async () => {
  const limit = createLimit(1);
  const stage = new Stage();
  const calls = [limit(stage.play, 'first')];
  for (const [name, priority] of [
    ['a', undefined],
    ['b', 2],
    ['c', -1],
    ['d', 0],
    ['e', 2],
    ['f', 0.5],
  ] as const)
    calls.push(limit.run(stage.play, { args: [name], priority }));
  await turns();
  expect([limit.activeCount, limit.pendingCount]).toEqual([1, 6]);
  await stage.endAll();
  await Promise.all(calls);
  expect(stage.began.join(' ')).toBe('first b e f a d c');
});

test('a later call with a higher priority starts next, through any limit object of the agent', async () => {
  const limit = createLimit(1);
  const same = createLimit.from(limit.handle);
  const stage = new Stage();
  const calls = [limit(stage.play, 'first'), limit(stage.play, 'second'), limit(stage.play, 'third')];
  await turns();
  calls.push(same.run(stage.play, { args: ['urgent'], priority: 1 }));
  await stage.endAll();
  await Promise.all(calls);
  expect(stage.began).toEqual(['first', 'urgent', 'second', 'third']);
});

test('a call that is aborted, times out or is cleared does not change the order of the others', async () => {
  const limit = createLimit(1);
  const other = createLimit.from(limit.handle, { rejectOnClear: true });
  const stage = new Stage();
  const controller = new AbortController();
  const first = limit(stage.play, 'first');
  await turns();
  const failed = [
    limit.run(stage.play, { args: ['aborted'], priority: 3, signal: controller.signal }),
    limit.run(stage.play, { args: ['late'], priority: 2, timeout: 1 }),
    other.run(stage.play, { args: ['cleared'], priority: 4 }),
  ].map((call) => call.catch((reason: unknown) => (reason as Error).name));
  const calls = [
    limit.run(stage.play, { args: ['low'], priority: 1 }),
    limit.run(stage.play, { args: ['high'], priority: 3 }),
  ];
  controller.abort();
  other.clearQueue();
  expect(await Promise.all(failed)).toEqual(['AbortError', 'TimeoutError', 'AbortError']);
  await stage.endAll();
  await Promise.all([first, ...calls]);
  expect(stage.began).toEqual(['first', 'high', 'low']);
});

test('agents take turns whatever the priorities of their calls are', async () => {
  const arena = Arena.create();
  const limit = createLimit(1, { arena });
  const theirs = attachAs(secondAgent(arena), limit.handle);
  const stage = new Stage();
  const calls = [limit(stage.play, 'first')];
  await turns();
  calls.push(
    limit.run(stage.play, { args: ['our low'], priority: -5 }),
    limit.run(stage.play, { args: ['our high'], priority: 5 }),
  );
  await turns();
  calls.push(
    theirs.run(stage.play, { args: ['their low'], priority: -5 }),
    theirs.run(stage.play, { args: ['their high'], priority: 9 }),
  );
  await turns();
  await stage.endAll();
  await Promise.all(calls);
  expect(stage.began).toEqual(['first', 'our high', 'their high', 'our low', 'their low']);
});

test('random calls that arrive, are cancelled and start behave as a sorted list does', () => {
  interface Item extends Ranked<Item> {
    readonly name: number;
  }
  const session = new Session('limit, a line of priorities');
  const { random } = session;
  for (let round = 0; round < 50; round++) {
    const line = new PriorityLine<Item>();
    let list: Item[] = [];
    for (let name = 0; name < 200; name++) {
      const what = random.below(10);
      if (what < 5 || list.length === 0) {
        const item: Item = { name, priority: random.below(4), before: undefined, behind: undefined };
        line.push(item);
        list.push(item);
        list.sort((a, b) => b.priority - a.priority || a.name - b.name);
      } else {
        const item = what < 8 ? (list[0] as Item) : random.pick(list);
        line.remove(item);
        list = list.filter((other) => other !== item);
      }
      expect([line.size, line.first?.name, line.all().map((item) => item.name)]).toEqual([
        list.length,
        list[0]?.name,
        list.map((item) => item.name),
      ]);
    }
  }
  session.done(50 * 200);
});

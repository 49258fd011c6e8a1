// Runs node-cron over the coordinator of two spaces: each scheduled time runs once.

import cron, { type TaskContext } from 'node-cron';
import { expect, test } from 'vitest';
import { makeOpen } from './support/spaces.ts';

const TIMES = 3;

test('one of two processes that schedule the same job runs it at each time', async () => {
  const open = makeOpen();
  const ran: string[] = [];
  const skipped: string[] = [];
  let seen = (): void => undefined;
  const enough = new Promise<void>((resolve) => {
    seen = () => {
      // A time that one process has run and the other has skipped is over.
      if (ran.filter((time) => skipped.includes(time)).length >= TIMES) resolve();
    };
  });
  const note = (list: string[]) => (context: TaskContext) => {
    list.push(context.date.toISOString());
    seen();
  };
  const tasks = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const runCoordinator = (await open({ name })).cronCoordinator();
      const task = cron.schedule('* * * * * *', note(ran), { name: 'report', distributed: true, runCoordinator });
      task.on('execution:skipped', note(skipped));
      return task;
    }),
  );
  await enough;
  for (const task of tasks) await task.destroy();
  expect(ran.length).toBe(new Set(ran).size);
});

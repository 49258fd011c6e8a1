import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { argumentSuite, runProgram } from '../../../tools/harness/src/program.ts';
import { EVENTS } from '../src/events.mjs';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 180_000;

describe.each(Object.entries(EVENTS))('the event by name %s', (_name, Class) => {
  test('signals before a wait count once, and a later signal admits the next wait', () => {
    const event = Class.create();
    for (let count = 0; count < 3; count++) event.signal();
    event.wait();
    const other = Class.from(event.handle as never);
    other.signal();
    event.wait();
  });
});

test('main.mjs prints one row for each event after all rounds', { timeout: THREADS_MS }, async () => {
  const { code, stdout, stderr } = await runProgram(main, ['--threads', '3', '--rounds', '200', '--signals', '1000']);
  expect([code, stderr]).toEqual([0, '']);
  const rows = [...stdout.matchAll(/^(\S.*?) {2,}([\d.]+) +(\d+)$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(EVENTS));
});

argumentSuite(main, 'Times an auto-reset event', [
  [['--threads', '1'], '--threads must be a whole number from 2 to 64: received 1'],
  [['--rounds', 'x'], '--rounds must be a whole number'],
  [['--unknown'], "Unknown option '--unknown'"],
]);

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PrioritySemaphore, ResizableSemaphore, type Capabilities } from '../src/index.ts';

const COLUMNS: readonly (keyof Capabilities)[] = ['fifo', 'weighted', 'givesUp', 'bounded', 'wakesOne'];

test('the table of capabilities in the README matches the classes', () => {
  const lines = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const head = lines.findIndex((cells) =>
    COLUMNS.every((column, index) => cells[index + 2]?.includes(`\`${column}\``)),
  );
  const all = [PrioritySemaphore, ResizableSemaphore];
  const rows = lines
    .slice(head + 2, head + 2 + all.length)
    .map((cells) => [
      cells[1],
      Object.fromEntries(
        COLUMNS.map((column, index) => [column, /^(yes|no)\b/.exec(cells[index + 2] ?? '')?.[1] === 'yes']),
      ),
    ]);
  expect(rows).toEqual(all.map(({ name, capabilities }) => [`\`${name}\``, capabilities]));
  expect(lines[head + 2 + all.length]).toEqual(['']);
});

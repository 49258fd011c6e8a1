import { expect, test } from 'vitest';
import * as everything from '../../../packages/sluice/src/index.ts';
import * as page from '../../../packages/sluice/src/page.ts';
import * as pool from '../../../packages/worker-pool/src/index.ts';

test('the facade exports on Node.js what it exports in pages, and the worker pool', () => {
  expect(Object.keys(everything).sort()).toEqual([...Object.keys(page), ...Object.keys(pool)].sort());
});

test('the facade exports what newcomers need', () => {
  expect(Object.keys(page)).toEqual(
    expect.arrayContaining(['Mutex', 'Semaphore', 'BoundedBuffer', 'createLimit', 'Arena', 'Region']),
  );
});

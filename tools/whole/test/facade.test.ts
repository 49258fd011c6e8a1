import { expect, test } from 'vitest';
import * as everything from '../../../packages/sluice/src/index.ts';
import * as page from '../../../packages/sluice/src/page.ts';
import * as pool from '../../../packages/worker-pool/src/index.ts';

test('the facade has the same exports on Node.js as in pages, plus the worker pool', () => {
  expect(Object.keys(everything).sort()).toEqual([...Object.keys(page), ...Object.keys(pool)].sort());
});

test('the facade exports the most common primitives', () => {
  expect(Object.keys(page)).toEqual(
    expect.arrayContaining(['Mutex', 'Semaphore', 'BoundedBuffer', 'createLimit', 'Arena', 'Region']),
  );
});

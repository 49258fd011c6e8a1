// Tests the copies of built files that do nothing when they are imported.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { hollowCopy } from '../src/lib/hollow-copy.mjs';

const core = new URL('../../packages/core/dist/index.js', import.meta.url).href;

test.each(['comments', 'function'] as const)('a copy as %s can be imported and exports nothing', async (kind) => {
  const copy = hollowCopy(core, kind);
  try {
    expect(copy.files).toBeGreaterThan(1);
    expect(Object.keys((await import(/* @vite-ignore */ copy.url)) as object)).toEqual([]);
    const file = fileURLToPath(copy.url);
    expect(statSync(file).size).toBeGreaterThan(0.8 * statSync(fileURLToPath(core)).size);
    expect(readFileSync(file, 'utf8')).toMatch(/^import '\.\/chunk-/);
  } finally {
    copy.remove();
  }
  expect(existsSync(fileURLToPath(copy.url))).toBe(false);
});

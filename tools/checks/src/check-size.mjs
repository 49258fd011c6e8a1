#!/usr/bin/env node
// @ts-check
// What a page pays for a package: its built ESM with everything that it imports, minified and compressed.
import { build } from 'esbuild';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';

/**
 * Bytes after gzip: what a package should cost, and what it may not pass. Core misses its bar; the ceiling keeps it from
 * growing (docs/decisions/014-one-bundle-with-both-kernels.md). The others have core in them and no bar of their own.
 * @type {Record<string, { bar?: number, ceiling: number }>}
 */
const LIMITS = {
  core: { bar: 8192, ceiling: 41_450 },
  mutex: { ceiling: 40_450 },
  'auto-reset-event': { ceiling: 39_300 },
  'rw-lock': { ceiling: 41_100 },
  locks: { ceiling: 40_800 },
  capacitor: { ceiling: 44_350 },
  limit: { ceiling: 42_800 },
  'address-wait': { ceiling: 38_100 },
  'bounded-buffer': { ceiling: 43_700 },
  semaphores: { ceiling: 45_150 },
};

const sizes = await Promise.all(
  Object.entries(LIMITS).map(async ([name, { bar, ceiling }]) => {
    const result = await build({
      entryPoints: [join(root, 'packages', name, 'dist', 'index.js')],
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2022',
      write: false,
      legalComments: 'none',
    });
    const code = result.outputFiles[0]?.contents ?? new Uint8Array();
    return { name, bar, ceiling, minified: code.length, bytes: gzipSync(code, { level: 9 }).length };
  }),
);

report(
  sizes.map((s) => `size: ${s.name} ${s.bytes} bytes (minified ${s.minified})${verdict(s)}`).join('\n'),
  sizes
    .filter((s) => s.bytes > s.ceiling)
    .map((s) => `${s.name}: ${s.bytes} bytes, ${s.bytes - s.ceiling} above the ceiling of ${s.ceiling}`),
);

/** @param {{ bytes: number, bar?: number | undefined }} size */
function verdict({ bytes, bar }) {
  return bar === undefined ? '' : `; bar ${bar}: ${bytes > bar ? 'missed' : 'met'}`;
}

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
  core: { bar: 8192, ceiling: 48_600 },
  mutex: { ceiling: 47_450 },
  'auto-reset-event': { ceiling: 45_650 },
  'rw-lock': { ceiling: 48_100 },
  locks: { ceiling: 47_850 },
  capacitor: { ceiling: 51_300 },
  limit: { ceiling: 49_200 },
  'address-wait': { ceiling: 44_450 },
  'bounded-buffer': { ceiling: 50_550 },
  semaphores: { ceiling: 52_150 },
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

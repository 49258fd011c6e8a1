#!/usr/bin/env node
// @ts-check
// What a page pays for a package: its built ESM with everything that it imports, minified and compressed.
import { build } from 'esbuild';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';

/** Bytes after gzip. */
const LIMITS = { core: 8192 };

const sizes = await Promise.all(
  Object.entries(LIMITS).map(async ([name, limit]) => {
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
    return { name, limit, minified: code.length, bytes: gzipSync(code, { level: 9 }).length };
  }),
);

report(
  sizes.map((s) => `size: ${s.name} ${s.bytes} of ${s.limit} bytes (minified ${s.minified})`).join('\n'),
  sizes
    .filter((s) => s.bytes > s.limit)
    .map((s) => `${s.name}: ${s.bytes} bytes, ${s.bytes - s.limit} above the limit of ${s.limit}`),
);

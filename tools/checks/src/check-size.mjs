#!/usr/bin/env node
// @ts-check
// What a page pays for a package: its built ESM with everything that it imports, minified and compressed.
import { build } from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';

/**
 * Bytes after gzip: what an import should cost, and what it may not pass. A ceiling keeps what misses its bar from growing
 * (docs/decisions/050-the-typescript-kernel-is-an-import-of-its-own.md). `name`: of one export; else the whole entry.
 * @type {readonly { entry: string, name?: string, bar?: number, ceiling: number }[]}
 */
const LIMITS = [
  { entry: 'core', ceiling: 33_720 },
  { entry: 'core', name: 'Semaphore', bar: 16_384, ceiling: 32_390 },
  { entry: 'core/js', ceiling: 5_040 },
  { entry: 'mutex', ceiling: 36_840 },
  { entry: 'mutex', name: 'Mutex', bar: 20_480, ceiling: 36_840 },
  { entry: 'auto-reset-event', ceiling: 33_040 },
  { entry: 'barrier', ceiling: 37_610 },
  { entry: 'event', ceiling: 37_190 },
  { entry: 'rw-lock', ceiling: 40_490 },
  { entry: 'seq-lock', ceiling: 40_780 },
  { entry: 'condition', ceiling: 34_940 },
  { entry: 'named', ceiling: 48_840 },
  { entry: 'locks', ceiling: 36_940 },
  { entry: 'capacitor', ceiling: 42_220 },
  { entry: 'limit', ceiling: 36_860 },
  { entry: 'limit/interval', ceiling: 39_070 },
  { entry: 'rate-limit', ceiling: 36_090 },
  { entry: 'address-wait', ceiling: 29_340 },
  { entry: 'bounded-buffer', ceiling: 42_090 },
  { entry: 'bounded-buffer', name: 'BoundedBuffer', bar: 24_576, ceiling: 41_080 },
  { entry: 'bounded-buffer/select', ceiling: 42_530 },
  { entry: 'bounded-buffer/web-streams', ceiling: 42_710 },
  { entry: 'watch', ceiling: 35_430 },
  { entry: 'broadcast', ceiling: 40_560 },
  { entry: 'semaphores', ceiling: 54_950 },
  { entry: 'redis', ceiling: 61_580 },
  { entry: 'all/sluice', ceiling: 176_900 },
];

/** @param {typeof LIMITS[number]} limit */
async function measure({ entry, name, bar, ceiling }) {
  const [directory = '', file = 'index'] = entry.split('/');
  const path = join(root, 'packages', directory, 'dist', `${file}.js`);
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${name === undefined ? '*' : `{ ${name} }`} from ${JSON.stringify(path)}`, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'error',
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const what = name === undefined ? entry : `${entry} { ${name} }`;
  const hasTwin = Object.keys(metafile.inputs).some((file) => file.endsWith('core/dist/js.js'));
  return { what, bar, ceiling, hasTwin: hasTwin && entry !== 'core/js', minified: code.length, bytes: gzipSync(code, { level: 9 }).length };
}

/** For Node.js alone: no page loads it. */
const WITHOUT_LIMIT = ['worker-pool'];

// A package that was deleted has no size.
const there = LIMITS.filter(({ entry }) => existsSync(join(root, 'packages', entry.split('/')[0] ?? '')));
const sizes = await Promise.all(there.map(measure));
const known = new Set([...WITHOUT_LIMIT, ...LIMITS.map(({ entry }) => entry.split('/')[0])]);
const unknown = readdirSync(join(root, 'packages')).filter((name) => existsSync(join(root, 'packages', name, 'package.json')) && !known.has(name));

report(
  sizes.map((s) => `size: ${s.what} ${s.bytes} bytes (minified ${s.minified})${verdict(s)}`).join('\n'),
  [
    ...unknown.map((name) => `${name}: has no ceiling in LIMITS of check-size.mjs`),
    ...sizes.flatMap((s) => [
      ...(s.bytes > s.ceiling ? [`${s.what}: ${s.bytes} bytes, ${s.bytes - s.ceiling} above the ceiling of ${s.ceiling}`] : []),
      ...(s.hasTwin ? [`${s.what}: brings the kernel in TypeScript along`] : []),
    ]),
  ],
);

/** @param {{ bytes: number, bar?: number | undefined }} size */
function verdict({ bytes, bar }) {
  return bar === undefined ? '' : `; bar ${bar}: ${bytes > bar ? 'missed' : 'met'}`;
}

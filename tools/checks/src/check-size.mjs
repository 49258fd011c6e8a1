#!/usr/bin/env node
// @ts-check
// Checks the size of a package for a page: its built ESM with everything that it imports, minified and compressed.
import { build } from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';

/**
 * Bytes after gzip: what an import should cost, and what it may not pass. A ceiling keeps what misses its bar from
 * growing (docs/decisions/050-the-typescript-kernel-is-an-import-of-its-own.md). `name`: of one export; else the whole
 * entry.
 * @type {readonly { entry: string, name?: string, bar?: number, ceiling: number }[]}
 */
const LIMITS = [
  { entry: 'core', ceiling: 35_980 },
  { entry: 'core', name: 'Semaphore', bar: 24_576, ceiling: 34_610 },
  { entry: 'core/js', ceiling: 5_040 },
  { entry: 'mutex', ceiling: 43_460 },
  { entry: 'mutex', name: 'Mutex', bar: 27_648, ceiling: 39_870 },
  { entry: 'auto-reset-event', ceiling: 35_330 },
  { entry: 'barrier', ceiling: 40_150 },
  { entry: 'event', ceiling: 39_870 },
  { entry: 'rw-lock', ceiling: 42_770 },
  { entry: 'seq-lock', ceiling: 43_370 },
  { entry: 'named', ceiling: 51_840 },
  { entry: 'classics', name: 'TtsLock', ceiling: 39_300 },
  { entry: 'classics', ceiling: 56_130 },
  { entry: 'capacitor', ceiling: 44_540 },
  { entry: 'limit', ceiling: 46_530 },
  { entry: 'limit', name: 'createLimit', ceiling: 42_950 },
  { entry: 'limit', name: 'RateLimiter', ceiling: 38_740 },
  { entry: 'address-wait', ceiling: 31_390 },
  { entry: 'bounded-buffer', ceiling: 45_080 },
  { entry: 'bounded-buffer', name: 'BoundedBuffer', bar: 31_744, ceiling: 44_040 },
  { entry: 'bounded-buffer/select', ceiling: 45_530 },
  { entry: 'bounded-buffer/web-streams', ceiling: 45_760 },
  { entry: 'broadcast', name: 'WatchCell', ceiling: 38_060 },
  { entry: 'broadcast', name: 'Broadcast', ceiling: 43_190 },
  { entry: 'broadcast', ceiling: 45_490 },
  { entry: 'semaphores', ceiling: 44_560 },
  { entry: 'redis', ceiling: 64_740 },
  { entry: 'sluice/sluice', ceiling: 156_480 },
  { entry: 'sluice/js', ceiling: 23_880 },
  { entry: 'sluice/js', name: 'jsMutex', ceiling: 2_720 },
];

/** @param {typeof LIMITS[number]} limit */
async function measure({ entry, name, bar, ceiling }) {
  const [directory = '', file = 'index'] = entry.split('/');
  const path = join(root, 'packages', directory, 'dist', `${file}.js`);
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `export ${name === undefined ? '*' : `{ ${name} }`} from ${JSON.stringify(path)}`,
      resolveDir: root,
    },
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
  return {
    what,
    bar,
    ceiling,
    hasTwin: hasTwin && file !== 'js',
    minified: code.length,
    bytes: gzipSync(code, { level: 9 }).length,
  };
}

/** For Node.js alone: no page loads it. */
const WITHOUT_LIMIT = ['worker-pool'];

// A package that was deleted has no size.
const there = LIMITS.filter(({ entry }) => existsSync(join(root, 'packages', entry.split('/')[0] ?? '')));
const sizes = await Promise.all(there.map(measure));
const known = new Set([...WITHOUT_LIMIT, ...LIMITS.map(({ entry }) => entry.split('/')[0])]);
const unknown = readdirSync(join(root, 'packages')).filter(
  (name) => existsSync(join(root, 'packages', name, 'package.json')) && !known.has(name),
);

report(sizes.map((s) => `size: ${s.what} ${s.bytes} bytes (minified ${s.minified})${verdict(s)}`).join('\n'), [
  ...unknown.map((name) => `${name}: has no ceiling in LIMITS of check-size.mjs`),
  ...sizes.flatMap((s) => [
    ...(s.bytes > s.ceiling
      ? [`${s.what}: ${s.bytes} bytes, ${s.bytes - s.ceiling} above the ceiling of ${s.ceiling}`]
      : []),
    ...(s.hasTwin ? [`${s.what}: brings the kernel in TypeScript along`] : []),
  ]),
]);

/** @param {{ bytes: number, bar?: number | undefined }} size */
function verdict({ bytes, bar }) {
  return bar === undefined ? '' : `; bar ${bar}: ${bytes > bar ? 'missed' : 'met'}`;
}

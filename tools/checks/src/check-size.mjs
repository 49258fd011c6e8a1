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
  { entry: 'core', ceiling: 35_680 },
  { entry: 'core', name: 'Semaphore', bar: 16_384, ceiling: 34_340 },
  { entry: 'core/js', ceiling: 5_040 },
  { entry: 'mutex', ceiling: 43_000 },
  { entry: 'mutex', name: 'Mutex', bar: 20_480, ceiling: 39_400 },
  { entry: 'auto-reset-event', ceiling: 35_160 },
  { entry: 'barrier', ceiling: 39_850 },
  { entry: 'event', ceiling: 39_400 },
  { entry: 'rw-lock', ceiling: 42_570 },
  { entry: 'seq-lock', ceiling: 42_990 },
  { entry: 'named', ceiling: 51_460 },
  { entry: 'locks', ceiling: 39_080 },
  { entry: 'capacitor', ceiling: 44_380 },
  { entry: 'limit', ceiling: 47_500 },
  { entry: 'limit', name: 'createLimit', ceiling: 42_900 },
  { entry: 'limit', name: 'RateLimiter', ceiling: 38_450 },
  { entry: 'address-wait', ceiling: 31_220 },
  { entry: 'bounded-buffer', ceiling: 44_730 },
  { entry: 'bounded-buffer', name: 'BoundedBuffer', bar: 24_576, ceiling: 43_690 },
  { entry: 'bounded-buffer/select', ceiling: 45_180 },
  { entry: 'bounded-buffer/web-streams', ceiling: 45_410 },
  { entry: 'broadcast', name: 'WatchCell', ceiling: 37_720 },
  { entry: 'broadcast', name: 'Broadcast', ceiling: 43_190 },
  { entry: 'broadcast', ceiling: 45_200 },
  { entry: 'semaphores', ceiling: 57_230 },
  { entry: 'redis', ceiling: 64_490 },
  { entry: 'sluice/sluice', ceiling: 183_710 },
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

#!/usr/bin/env node
// @ts-check
// Checks the size of a package for a page: its built ESM with everything that it imports, minified and compressed.
import { build } from 'esbuild';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root, workspacePackages } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';

/**
 * Bytes after gzip: what an import should cost, and what it may not pass. A ceiling keeps what misses its bar from
 * growing (docs/decisions/050-the-typescript-kernel-is-an-import-of-its-own.md).
 * @typedef {import('../../../scripts/workspace.mjs').Size & { directory: string }} Limit
 */

/** @type {readonly Limit[]} */
const LIMITS = workspacePackages(['packages']).flatMap(({ directory, manifest: { sluice } }) =>
  (sluice?.sizes ?? []).map((size) => ({ directory: basename(directory), ...size })),
);

/** @param {Limit} limit */
async function measure({ directory, entry: file = 'index', export: name, bar, ceiling }) {
  const entry = file === 'index' ? directory : `${directory}/${file}`;
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

/** For Node.js alone: no page loads them. */
const WITHOUT_LIMIT = ['local', 'postgres', 'worker-pool'];

const sizes = await Promise.all(LIMITS.map(measure));
const known = new Set([...WITHOUT_LIMIT, ...LIMITS.map(({ directory }) => directory)]);
const unknown = readdirSync(join(root, 'packages')).filter(
  (name) => existsSync(join(root, 'packages', name, 'package.json')) && !known.has(name),
);

report(sizes.map((s) => `size: ${s.what} ${s.bytes} bytes (minified ${s.minified})${verdict(s)}`).join('\n'), [
  ...unknown.map((name) => `${name}: has no sluice.sizes in its package.json`),
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

// @ts-check
// Bundles the workers' program as one file. A worker that is killed after a second should not spend most of it on
// loading modules.
import { build } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from '../../../scripts/workspace.mjs';

/** Bundles life.mjs with the built packages, and returns where it is. */
export async function bundleLife() {
  const folder = join(root, '.cache', 'soak');
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, `life-${process.pid}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL('./life.mjs', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    // Without the paths of this repository's tsconfig.json, which lead to the sources.
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  return pathToFileURL(outfile);
}

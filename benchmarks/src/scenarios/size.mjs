// @ts-check
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export const name = 'size';
export const summary = 'what the core costs a page: its ES module, minified and compressed';

/** @param {import('../lib/context.mjs').Context} context */
export async function run({ report }) {
  const entry = fileURLToPath(import.meta.resolve('@sluice/core'));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['node:*'],
    legalComments: 'none',
    write: false,
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const bytes = {
    minified: code.length,
    gzip: gzipSync(code, { level: 9 }).length,
    brotli: brotliCompressSync(code).length,
  };
  report.add({ subject: '@sluice/core', ...bytes });
  report.table(
    'Size of the ES module, bytes',
    ['package', 'minified', 'gzip', 'brotli'],
    [['@sluice/core', String(bytes.minified), String(bytes.gzip), String(bytes.brotli)]],
  );
}

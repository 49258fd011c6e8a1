// Builds the page into dist, or into the folder that the command line names: files that any static host can serve as
// they are.
import { build } from 'esbuild';
import { copyFile, cp, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const dist = at('./dist');

/**
 * The page and its workers share one copy of Sluice, which a browser caches.
 * @type {import('esbuild').Plugin}
 */
const oneFile = {
  name: 'one-file',
  setup(builder) {
    builder.onResolve({ filter: /^sluice$/ }, () => ({ path: './sluice.js', external: true }));
  },
};

/** The code beside each scene, by the scene's id. */
async function readSnippets() {
  const names = await readdir(at('./public/snippets'));
  const texts = names.map(async (name) => [
    basename(name, '.js'),
    (await readFile(at(`./public/snippets/${name}`), 'utf8')).trim(),
  ]);
  return Object.fromEntries(await Promise.all(texts));
}

/**
 * @param {string} [to] a folder, which it replaces
 * @param {string} [pages] where the documentation is, relative to the page. Without, the page has no link to it.
 */
export async function buildDemo(to = dist, pages = '') {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  await cp(at('./public'), to, { recursive: true });
  await copyFile(fileURLToPath(import.meta.resolve('sluice/sluice.js')), `${to}/sluice.js`);
  await build({
    entryPoints: { page: at('./src/page/main.ts'), worker: at('./src/worker/main.ts') },
    outdir: to,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    sourcemap: true,
    plugins: [oneFile],
    define: { SNIPPETS: JSON.stringify(await readSnippets()), PAGES: JSON.stringify(pages) },
    logLevel: 'warning',
  });
}

if (resolve(argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const to = resolve(argv[2] ?? dist);
  await buildDemo(to);
  console.log(to);
}

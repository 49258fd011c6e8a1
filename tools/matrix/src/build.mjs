// @ts-check
// Builds what a runtime runs: the hosts with all cases, beside a node_modules with copies of the built packages.
import { build } from 'esbuild';
import { cpSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, workspacePackages } from '../../../scripts/workspace.mjs';
import { runnableSnippets } from '../../checks/src/markdown.mjs';

const hosts = join(root, 'tools', 'cases', 'src', 'hosts');
const HOSTS = ['process', 'thread', 'web-worker', 'pool-tasks'];

/**
 * Copies the built packages: with links into this repository, Bun would follow the paths of its tsconfig.json to the
 * sources.
 * @param {string} folder
 */
function install(folder) {
  const modules = join(folder, 'node_modules');
  for (const { directory, manifest } of workspacePackages(['packages'])) {
    const to = join(modules, manifest.name);
    cpSync(join(directory, 'dist'), join(to, 'dist'), { recursive: true });
    cpSync(join(directory, 'package.json'), join(to, 'package.json'));
  }
  cpSync(join(root, 'packages', 'bounded-buffer', 'node_modules', 'msgpackr'), join(modules, 'msgpackr'), {
    recursive: true,
    dereference: true,
  });
  writeFileSync(join(folder, 'package.json'), '{ "name": "matrix", "private": true }\n');
}

/**
 * The first runnable example of each README.
 * @returns {{ name: string, code: string }[]}
 */
function firstExamples() {
  const folders = [
    { directory: root, name: 'README' },
    ...workspacePackages(['packages']).map(({ directory, manifest: { name } }) => ({ directory, name })),
  ];
  return folders.flatMap(({ directory, name }) => {
    const snippet = runnableSnippets(readFileSync(join(directory, 'README.md'), 'utf8')).find(
      ({ language, needs }) => language.includes('js') && needs === undefined,
    );
    return snippet === undefined ? [] : [{ name, code: snippet.code }];
  });
}

/**
 * @returns {Promise<{ folder: string, examples: readonly { name: string, file: string }[] }>} `folder`: outside of this
 *   repository; the caller removes it
 */
export async function buildPrograms() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-matrix-')));
  install(folder);
  await build({
    entryPoints: HOSTS.map((name) => join(hosts, `${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    logLevel: 'warning',
  });
  const examples = firstExamples().map(({ name, code }) => {
    const file = join(folder, `${name.replace('@sluice/', '')}.example.mjs`);
    writeFileSync(file, code);
    return { name, file };
  });
  return { folder, examples };
}

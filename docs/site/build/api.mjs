// @ts-check
// The API's pages, from the docstrings of what the packages export.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { fingerprint, root } from '../../../scripts/workspace.mjs';
import { entriesOf, PRIMITIVES } from './places.mjs';

/**
 * @param {string} site the folder of the site's package
 * @param {string} pages
 */
export function makeApi(site, pages) {
  const out = join(site, '.cache', 'api');
  const stamp = join(site, '.cache', 'api-made-from');
  const sources = [
    ...PRIMITIVES.map(([name]) => join(root, `packages/${name}/src`)),
    join(site, 'build'),
    join(site, 'pnpm-lock.yaml'),
  ];
  const wanted = fingerprint(sources);
  const isCurrent = existsSync(out) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  const warnings = isCurrent ? '' : generate(site, out);
  if (warnings === '') writeFileSync(stamp, wanted);
  cpSync(out, join(pages, 'api'), { recursive: true });
  return warnings;
}

/**
 * @param {string} site
 * @param {string} out
 */
function generate(site, out) {
  rmSync(out, { recursive: true, force: true });
  const tsconfig = join(site, '.cache', 'typedoc.tsconfig.json');
  writeFileSync(
    tsconfig,
    JSON.stringify({
      extends: join(root, 'tsconfig.base.json'),
      include: [join(root, 'packages/*/src/**/*.ts')],
      compilerOptions: { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
    }),
  );
  const options = {
    entryPoints: PRIMITIVES.flatMap(([name = '']) => entriesOf(name)),
    tsconfig,
    plugin: ['typedoc-plugin-markdown', 'typedoc-vitepress-theme', join(site, 'build', 'typedoc-plugin.mjs')],
    out,
    docsRoot: join(site, '.cache'),
    readme: 'none',
    name: 'API',
    disableSources: true,
    excludePrivate: true,
    excludeProtected: true,
    excludeInternal: true,
    excludeExternals: true,
    skipErrorChecking: true,
    hidePageHeader: true,
    hideBreadcrumbs: false,
    useCodeBlocks: true,
    entryFileName: 'index',
    parametersFormat: 'table',
    propertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    validation: { invalidLink: true, notExported: false },
    logLevel: 'Warn',
  };
  const file = join(site, '.cache', 'typedoc.json');
  writeFileSync(file, JSON.stringify(options));
  const bin = join(site, 'node_modules', 'typedoc', 'bin', 'typedoc');
  const { status, stdout, stderr } = spawnSync(execPath, [bin, '--options', file], { encoding: 'utf8', cwd: site });
  if (status !== 0) throw new Error(`typedoc failed\n${stdout}${stderr}`);
  return `${stdout}${stderr}`.trim();
}

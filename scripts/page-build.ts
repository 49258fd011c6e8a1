// Builds the files that pages and web workers load without a bundler: dist/browser, where each import is a path.
//
// An import map does not reach workers, so a bare import fails there. A file in dist/browser imports the other packages
// from the folders beside its own (node_modules/@sluice, or a copy of that folder), so that all of them share one copy
// of the core. It shares the package's other files in dist
// (docs/decisions/080-a-page-without-a-bundler-loads-one-file-or-a-folder-of-packages.md).

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['plugins']>[number];

/** Rollup begins a line with each import. Texts of errors quote imports, too, but not at the beginning of a line. */
const IMPORT = /^((?:import|export)\b[^;'"]*)'([^']+)';$/gm;

/** From a file in `@sluice/NAME/dist/browser`, or in `sluice/dist/browser`. */
function pathOf(specifier: string, isFacade: boolean): string {
  const [, name, entry = 'index'] = /^@sluice\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name !== undefined) return `../../../${isFacade ? '@sluice/' : ''}${name}/dist/browser/${entry}.js`;
  // A package of another scope: only msgpackr, whose index.js is an ES module that imports nothing by name.
  return `../../../../${specifier}/index.js`;
}

/** What other packages import that has no file for pages. */
const OF_NODE = [
  '@sluice/worker-pool',
  '@sluice/inspect/lock-order',
  '@sluice/inspect/view',
  '@sluice/inspect/watchdog',
  '@sluice/inspect/why',
];

interface Module {
  readonly name: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** The files that import a package, directly or indirectly. */
function modulesWithPackages(modules: readonly Module[]): Set<string> {
  const found = new Set<string>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { name, imports } of modules) {
      if (imports.some((path) => !path.startsWith('.') || found.has(basename(path)))) found.add(name);
    }
  }
  return found;
}

/** An entry that imports no package is the same file in both folders. */
const forward = (name: string): string => `export * from '../${name}';\n`;

function forPages({ text }: Module, withPackages: ReadonlySet<string>, isFacade: boolean): string {
  return text.replaceAll(IMPORT, (_, names: string, path: string) => {
    const target = !path.startsWith('.')
      ? pathOf(path, isFacade)
      : withPackages.has(basename(path))
        ? path
        : `.${path}`;
    return `${names}'${target}';`;
  });
}

/** Writes dist/browser after the ES modules of a package. */
export function pageBuild(): Plugin {
  return {
    name: 'page-build',
    async buildEnd({ writtenFiles }) {
      const files = writtenFiles.map(({ name }) => name).filter((name) => name.endsWith('.js'));
      const [first] = files;
      if (first === undefined) return;
      const modules = await Promise.all(
        files.map(async (file) => {
          const text = await readFile(file, 'utf8');
          return { name: basename(file), text, imports: [...text.matchAll(IMPORT)].map(([, , path = '']) => path) };
        }),
      );
      // The paths that tsup gives are relative to the package.
      const dist = resolve(dirname(first));
      const folder = join(dist, 'browser');
      const isFacade = basename(dirname(dist)) === 'sluice';
      await mkdir(folder, { recursive: true });
      const withPackages = modulesWithPackages(modules);
      // An entry for Node.js alone.
      const isOfNode = ({ imports }: Module): boolean =>
        imports.some((path) => path.startsWith('node:') || OF_NODE.includes(path));
      const isEntry = (name: string): boolean => !name.startsWith('chunk-');
      for (const module of modules) {
        const { name } = module;
        if (isOfNode(module)) continue;
        if (withPackages.has(name)) await writeFile(join(folder, name), forPages(module, withPackages, isFacade));
        else if (isEntry(name)) await writeFile(join(folder, name), forward(name));
      }
    },
  };
}

// Bundles a test file with the sources that it imports before Vitest runs it. Vitest reads every import of a module
// through a getter, at each use; in one file the engine inlines calls across modules, and the models take half the
// time. Node.js itself loads the bundle: Vitest would parse it, print it and join two source maps, which takes longer
// than most tests.

import { build, type Plugin as EsbuildPlugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';

export interface BundledTestsOptions {
  /** Which test files are bundled. All others run as Vitest runs them. */
  readonly include: (file: string, text: string) => boolean;
  /**
   * Which of them see classes and functions under their own names, although a bundle renames those that meet. It costs
   * time.
   */
  readonly keepNames?: (file: string, text: string) => boolean;
  /** Where packages are, by the names under which they are imported. */
  readonly alias: Readonly<Record<string, string>>;
  /** The folder for the bundles. */
  readonly out: string;
  /** The text of a test that runs what the file exports, if the file itself is none. */
  readonly runner?: (file: string) => string | undefined;
  /** What else changes the modules on their way into the bundle. */
  readonly plugins?: readonly EsbuildPlugin[];
}

/** Every file of a bundle gets its own URL as a text. */
const ownUrls: EsbuildPlugin = {
  name: 'own-urls',
  setup(bundler) {
    bundler.onLoad({ filter: /\.m?[jt]s$/, namespace: 'file' }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return {
        contents: text.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
        loader: path.endsWith('ts') ? 'ts' : 'js',
      };
    });
  },
};

/** What builds code in tests is imported at run time, as the file that imports it finds it. */
const compilers: EsbuildPlugin = {
  name: 'compilers',
  setup(bundler) {
    bundler.onResolve({ filter: /^esbuild$/ }, ({ path, importer }) => ({
      path: createRequire(importer).resolve(path),
      external: true,
    }));
    // Required, not imported: Node.js reads all of a CommonJS file for the names that it exports, which takes a second
    // here.
    bundler.onResolve({ filter: /^typescript$/ }, ({ path, importer }) => ({
      path: createRequire(importer).resolve(path),
      namespace: 'required',
    }));
    bundler.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => {
      const file = JSON.stringify(path);
      return {
        contents: `import { createRequire } from 'node:module'; export default createRequire(${file})(${file});`,
      };
    });
  },
};

export function bundledTests({ include, keepNames, alias, out, runner, plugins = [] }: BundledTestsOptions): Plugin {
  return {
    name: 'sluice:bundled-tests',
    enforce: 'pre',
    async load(id) {
      const test = runner?.(id);
      if (test === undefined && !/\.(test|model)\.ts$/.test(id)) return null;
      const source = await readFile(id, 'utf8');
      if (!include(id, source)) return null;
      const outfile = join(out, `${relative(process.cwd(), id).replaceAll(sep, '-')}.mjs`);
      await build({
        ...(test === undefined
          ? { entryPoints: [id] }
          : { stdin: { contents: test, resolveDir: dirname(id), loader: 'ts' } }),
        bundle: true,
        keepNames: keepNames?.(id, source) ?? false,
        // A test imports files for what they do, and lies in a package without side effects.
        ignoreAnnotations: true,
        outfile,
        sourcemap: true,
        sourcesContent: false,
        format: 'esm',
        platform: 'node',
        target: 'node20',
        alias: { ...alias },
        external: ['vitest'],
        plugins: [...plugins, ownUrls, compilers],
        logLevel: 'silent',
      });
      // Another name for each build: Node.js loads a module once.
      return {
        code: `await import(${JSON.stringify(`${pathToFileURL(outfile).href}?${String(Date.now())}`)});`,
        map: null,
      };
    },
  };
}

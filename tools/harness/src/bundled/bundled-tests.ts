// Bundles test files with the sources that they import before Vitest runs them. Vitest reads every import of a module
// through a getter, at each use; in a bundle the engine inlines calls across modules, and the models take half the
// time. Node.js itself loads the bundles: Vitest would parse them, print them and join two source maps, which takes
// longer than most tests.
//
// The files of one package are built together and share their chunks: a build per file takes forty times as long.

import { build, type Plugin as EsbuildPlugin } from 'esbuild';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';

/** How the test files of one kind are built. */
export interface Batch {
  readonly name: string;
  /**
   * Whether they see classes and functions under their own names, although a bundle renames those that meet. It costs
   * time.
   */
  readonly keepNames: boolean;
  /** Plugins that change the modules on their way into the bundle. */
  readonly plugins?: readonly EsbuildPlugin[];
}

export interface BundledTestsOptions {
  /** The names of test files. */
  readonly tests: RegExp;
  /** How a test file is built, or `undefined`: then it runs as Vitest runs it. */
  readonly batchOf: (file: string, text: string) => Batch | undefined;
  /** Where packages are, by the names under which they are imported. */
  readonly alias: Readonly<Record<string, string>>;
  /** The folder for the bundles. */
  readonly out: string;
  /** The text of a test that runs what the file exports, if the file itself is none. */
  readonly runner?: (file: string) => string | undefined;
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

/** Compilers that tests use are imported at run time, from where the importing file finds them. */
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

const RUNNER = 'runner:';

/** Files that are no tests are imported by their runner. */
function runners(runner: (file: string) => string | undefined): EsbuildPlugin {
  return {
    name: 'runners',
    setup(bundler) {
      bundler.onResolve({ filter: new RegExp(`^${RUNNER}`) }, ({ path }) => ({
        path: path.slice(RUNNER.length),
        namespace: RUNNER,
      }));
      bundler.onLoad({ filter: /./, namespace: RUNNER }, ({ path }) => ({
        contents: runner(path) ?? '',
        loader: 'ts',
        resolveDir: dirname(path),
      }));
    },
  };
}

/** The bundles of other processes, which may still run, lie in folders of their own. */
function removeOld(out: string): void {
  for (const name of readdirSync(dirname(out))) {
    try {
      process.kill(Number(name), 0);
    } catch {
      rmSync(join(dirname(out), name), { recursive: true, force: true });
    }
  }
}

/** One build. */
interface Build {
  readonly done: Promise<unknown>;
  /** The files that a test run took from it. */
  readonly taken: Set<string>;
}

export function bundledTests({ tests, batchOf, alias, out, runner = () => undefined }: BundledTestsOptions): Plugin {
  /** By the name of the batch and the folder of the package. */
  const builds = new Map<string, Build>();
  const root = process.cwd();
  const outdir = join(out, String(process.pid));

  const packageOf = (file: string): string => join(root, ...relative(root, file).split(sep).slice(0, 2));
  const bundleOf = (file: string): string => relative(root, file).replaceAll(sep, '-');

  /** All test files of a batch in the package of one of them. */
  function filesBeside(file: string, { name }: Batch): readonly string[] {
    const folder = join(packageOf(file), 'test');
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => tests.test(path) && batchOf(path, readFileSync(path, 'utf8'))?.name === name);
  }

  function buildBeside(file: string, batch: Batch): Build {
    const entryPoints = filesBeside(file, batch).map((path) => ({
      in: runner(path) === undefined ? path : `${RUNNER}${path}`,
      out: bundleOf(path),
    }));
    const done = build({
      entryPoints,
      bundle: true,
      splitting: true,
      keepNames: batch.keepNames,
      // A test imports files for what they do, and lies in a package without side effects.
      ignoreAnnotations: true,
      outdir: join(outdir, batch.name),
      outExtension: { '.js': '.mjs' },
      sourcemap: true,
      sourcesContent: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      alias: { ...alias },
      external: ['vitest'],
      plugins: [...(batch.plugins ?? []), runners(runner), ownUrls, compilers],
      logLevel: 'silent',
    });
    return { done, taken: new Set() };
  }

  return {
    name: 'sluice:bundled-tests',
    enforce: 'pre',
    buildStart() {
      if (existsSync(out)) removeOld(outdir);
    },
    async load(id) {
      if (!tests.test(id)) return null;
      const batch = batchOf(id, await readFile(id, 'utf8'));
      if (batch === undefined) return null;
      const key = `${batch.name} ${packageOf(id)}`;
      let current = builds.get(key);
      // A second run of the same file follows a change.
      if (current === undefined || current.taken.has(id)) builds.set(key, (current = buildBeside(id, batch)));
      current.taken.add(id);
      await current.done;
      const bundle = pathToFileURL(join(outdir, batch.name, `${bundleOf(id)}.mjs`)).href;
      // Another name for each build: Node.js loads a module once.
      return { code: `await import(${JSON.stringify(`${bundle}?${String(Date.now())}`)});`, map: null };
    },
  };
}

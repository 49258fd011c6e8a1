import type { Options } from 'tsup';
import { pageBuild } from './scripts/page-build.ts';
import { shortLines } from './scripts/short-lines.ts';

/**
 * The one build recipe: ESM and CommonJS from `src/index.ts`. scripts/declarations.mjs writes the declarations.
 *
 * The files are for reading: Node.js prints the whole line in which an uncaught error was thrown, and stack traces name
 * functions and lines (docs/decisions/050-the-typescript-kernel-is-an-import-of-its-own.md). Bundlers minify them for
 * pages.
 */
export function library(overrides: Options = {}): Options {
  return {
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    // Maps would be larger than the code, and Node.js does not read them by default. Names stay for stack traces and
    // for classes.
    sourcemap: false,
    clean: true,
    splitting: false,
    treeshake: true,
    // Folds the layout's constants into the code that uses them. Without it the kernel in TypeScript is up to 6 %
    // slower.
    minifySyntax: true,
    plugins: [shortLines(), pageBuild()],
    ...overrides,
    esbuildOptions(options, context) {
      // `minifySyntax` joins statements to one. The limit breaks what became long.
      options.lineLimit = 160;
      overrides.esbuildOptions?.(options, context);
    },
  };
}

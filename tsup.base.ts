import type { Options } from 'tsup';
import { pageBuild } from './scripts/page-build.ts';

/** The one build recipe: ESM and CommonJS from `src/index.ts`. scripts/declarations.mjs writes the declarations. */
export function library(overrides: Options = {}): Options {
  return {
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    // Maps would be larger than the code. Names stay, so that stack traces name functions and instances name their class.
    sourcemap: false,
    clean: true,
    splitting: false,
    treeshake: true,
    // Folds the layout's constants into the code that uses them.
    minifySyntax: true,
    plugins: [pageBuild()],
    ...overrides,
  };
}

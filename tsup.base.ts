import type { Options } from 'tsup';
import { pageBuild } from './scripts/page-build.ts';

/** The one build recipe: ESM, CommonJS and declarations from `src/index.ts`. */
export function library(overrides: Options = {}): Options {
  return {
    entry: ['src/index.ts'],
    format: ['esm', 'cjs'],
    target: 'es2022',
    platform: 'neutral',
    // tsup passes `baseUrl` to the declaration build, which TypeScript 6 reports as deprecated.
    // The kernel's names for numbers are ambient, and declarations must stand alone.
    dts: { banner: 'type i32 = number;\ntype i64 = bigint;\ntype f64 = number;', compilerOptions: { ignoreDeprecations: '6.0', noCheck: true } },
    // Maps would be larger than the code. Names stay, so that stack traces name functions and instances name their class.
    sourcemap: false,
    minifyWhitespace: true,
    clean: true,
    splitting: false,
    treeshake: true,
    // Folds the layout's constants into the code that uses them.
    minifySyntax: true,
    plugins: [pageBuild()],
    ...overrides,
  };
}

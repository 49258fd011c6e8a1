import { defineConfig, type Options } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/**
 * `index` imports the built `page`. esbuild would lose what the bundled file exports from other packages by `export *`.
 */
const builtPage: EsbuildPlugin = {
  name: 'built-page',
  setup(build) {
    build.onResolve({ filter: /^\.\/page\.ts$/ }, () => ({
      path: `./page.${build.initialOptions.format === 'cjs' ? 'cjs' : 'js'}`,
      external: true,
    }));
  },
};

export default defineConfig([
  library({
    entry: [
      'src/index.ts',
      'src/drawing.ts',
      'src/js.ts',
      'src/lock-order.ts',
      'src/page.ts',
      'src/view.ts',
      'src/watchdog.ts',
      'src/why.ts',
    ],
    esbuildPlugins: [builtPage],
  }),
  // Beside the modules that import the packages by name: one file that contains every package, and one with the kernel
  // in TypeScript. For pages, which download them as they are: without white space, but in lines.
  library({
    entry: { sluice: 'src/page.ts', 'sluice-js': 'src/js.ts' },
    format: ['esm'],
    noExternal: [/^@sluice\//],
    clean: false,
    minifyWhitespace: true,
    plugins: [shortLines()],
  }),
]);

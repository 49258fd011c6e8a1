import { defineConfig } from 'tsup';
import { builtEntry } from '../../scripts/built-entry.ts';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

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
    // esbuild would lose what a bundled `page` exports from other packages by `export *`.
    esbuildPlugins: [builtEntry('page')],
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

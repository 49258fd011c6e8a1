import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

export default defineConfig([
  library(),
  // For Node.js alone: the watchdog, and the file that its thread runs. That file is found beside the watchdog's, and has
  // all that it needs: a loader of the program need not work in the thread.
  library({
    entry: ['src/watchdog.ts'],
    platform: 'node',
    external: [/^node:/],
    removeNodeProtocol: false,
    clean: false,
    plugins: [shortLines()],
    // Rollup would give CommonJS a stand-in for `import.meta`.
    treeshake: false,
    esbuildOptions(options) {
      options.logOverride = { 'empty-import-meta': 'silent' };
    },
  }),
  library({
    entry: { 'sluice-watchdog': 'src/watchdog-thread.ts' },
    format: ['esm'],
    noExternal: [/^@sluice\//],
    platform: 'node',
    external: [/^node:/],
    removeNodeProtocol: false,
    clean: false,
    plugins: [shortLines()],
  }),
]);

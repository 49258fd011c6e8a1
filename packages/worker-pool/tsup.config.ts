import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

// The workers' side is a file of its own, found beside the pool's, or beside a bundle that has it as an entry point: so
// its name is one that no program has.
export default defineConfig(
  library({
    entry: { index: 'src/index.ts', 'sluice-pool-worker': 'src/worker.ts' },
    platform: 'node',
    // Nothing for pages.
    plugins: [shortLines()],
    // webpack knows a `Worker` only by the module's old name.
    removeNodeProtocol: true,
    // Rollup and `minifyWhitespace` drop the comments of `import()` that keep bundlers from following it. Rollup would
    // also give CommonJS a stand-in for `import.meta`.
    treeshake: false,
    minifyWhitespace: false,
    esbuildOptions(options) {
      options.logOverride = { 'empty-import-meta': 'silent' };
    },
  }),
);

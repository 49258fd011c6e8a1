import { defineConfig, type Options } from 'tsup';
import { builtEntry } from '../../scripts/built-entry.ts';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

/** For Node.js alone. */
function forNode(options: Options): Options {
  return library({
    platform: 'node',
    external: [/^node:/],
    removeNodeProtocol: false,
    clean: false,
    plugins: [shortLines()],
    ...options,
  });
}

/** For entries that find files beside them. */
const withFolder: Options = {
  // Rollup would give CommonJS a stand-in for `import.meta`.
  treeshake: false,
  esbuildOptions(options) {
    options.logOverride = { 'empty-import-meta': 'silent' };
  },
};

export default defineConfig([
  library({ entry: ['src/index.ts', 'src/drawing.ts'] }),
  // A thread has one set of tools.
  forNode({ entry: ['src/lock-order.ts'], esbuildPlugins: [builtEntry('index')] }),
  forNode({ entry: ['src/watchdog.ts', 'src/view.ts'], ...withFolder }),
  // Each worker of a program loads it, so it has the few functions of the core that it needs, and no more.
  forNode({ entry: ['src/why.ts'], noExternal: [/^@sluice\//], ...withFolder }),
  // The files that threads run, and the command. They are found beside the entries, and have all that they need in one
  // chunk: a loader of the program need not work in these threads.
  forNode({
    entry: {
      'sluice-watchdog': 'src/watchdog/watchdog-thread.ts',
      'sluice-why': 'src/why/why-thread.ts',
      'sluice-view': 'src/view/view-thread.ts',
      'sluice-inspect': 'src/dump/cli.ts',
    },
    format: ['esm'],
    noExternal: [/^@sluice\//],
    splitting: true,
    treeshake: false,
  }),
  // What the page of the view loads.
  library({
    entry: { 'sluice-view-page': 'src/view/page/main.ts' },
    format: ['esm'],
    platform: 'browser',
    clean: false,
    minify: true,
    plugins: [shortLines()],
  }),
]);

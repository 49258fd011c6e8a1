import { defineConfig, type Options } from 'tsup';
import { library } from '../../tsup.base.ts';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** Takes what an entry exports from `chunk-shared`, which the first build makes. */
const fromShared: EsbuildPlugin = {
  name: 'from-shared',
  setup(build) {
    build.onResolve({ filter: /^\./ }, ({ kind }) =>
      kind === 'entry-point'
        ? undefined
        : { path: `./chunk-shared.${build.initialOptions.format === 'cjs' ? 'cjs' : 'js'}`, external: true },
    );
  },
};

export default defineConfig([
  library({
    entry: { index: 'src/index.ts', js: 'src/js.ts', kernel: 'src/kernel/parts.ts', 'chunk-shared': 'src/shared.ts' },
    splitting: true,
  }),
  // Lists of names. If each were an entry of the first build, that would split the code of the others into more files,
  // and each thread would load them.
  library({
    entry: { calls: 'src/calls.ts', internal: 'src/internal.ts', report: 'src/report.ts' },
    esbuildPlugins: [fromShared],
    // Rollup would hide the format from the plugin.
    treeshake: false,
    clean: false,
  }),
  // Constants, which the other files contain inline.
  library({ entry: { format: 'src/kernel/format.ts' }, clean: false }),
]);

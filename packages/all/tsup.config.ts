import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig([
  library(),
  // One file that contains every package, beside the module that imports them by name.
  library({ entry: { sluice: 'src/index.ts' }, format: ['esm'], noExternal: [/^@sluice\//], clean: false, plugins: [] }),
]);

import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig({
  ...library(),
  entry: { index: 'src/index.ts', internal: 'src/internal.ts', js: 'src/js.ts', kernel: 'src/kernel/parts.ts' },
  splitting: true,
});

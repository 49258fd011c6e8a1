import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

// For Node.js: no engine runs in a page. The entries share the classes, so that `instanceof` holds for both.
export default defineConfig(
  library({
    entry: { index: 'src/index.ts', internal: 'src/internal.ts', steps: 'src/steps.ts' },
    splitting: true,
    plugins: [shortLines()],
  }),
);

import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

// The workers' side is a file of its own, found beside the pool's: `import.meta.url`, which CommonJS gets a stand-in for.
export default defineConfig(library({ entry: ['src/index.ts', 'src/worker.ts'], platform: 'node', shims: true }));

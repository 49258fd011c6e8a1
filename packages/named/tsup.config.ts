import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    entry: {
      index: 'src/index.ts',
      internal: 'src/internal.ts',
      // In files of their own: a bundle leaves out what it does not use.
      'chunk-keyed-limit': 'src/keyed-limit.ts',
      'chunk-keyed-mutex': 'src/keyed-mutex.ts',
      'chunk-keyed-rate-limiter': 'src/keyed-rate-limiter.ts',
      'chunk-lock-manager': 'src/lock-manager.ts',
      'chunk-named': 'src/find-or-create.ts',
    },
    splitting: true,
  }),
);

import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({
    entry: {
      index: 'src/index.ts',
      internal: 'src/internal.ts',
      // In files of their own: a bundle leaves out what it does not use.
      'chunk-keyed-limit': 'src/limits/keyed-limit.ts',
      'chunk-keyed-mutex': 'src/mutexes/keyed-mutex.ts',
      'chunk-keyed-rate-limiter': 'src/rates/keyed-rate-limiter.ts',
      'chunk-lock-manager': 'src/web-locks/lock-manager.ts',
      'chunk-named': 'src/names/find-or-create.ts',
    },
    splitting: true,
  }),
);

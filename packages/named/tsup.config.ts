import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig({ ...library(), entry: ['src/index.ts', 'src/internal.ts'], splitting: true });

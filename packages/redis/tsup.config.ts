import { defineConfig } from 'tsup';
import { shortLines } from '../../scripts/short-lines.ts';
import { library } from '../../tsup.base.ts';

// For Node.js: its clients do not run in a page.
export default defineConfig(library({ plugins: [shortLines()] }));

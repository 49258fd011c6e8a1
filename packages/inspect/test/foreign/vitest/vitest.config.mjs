// @ts-check
import { defineConfig } from 'vitest/config';

export default defineConfig({ test: { include: ['*.spec.mjs'], pool: 'threads', reporters: ['dot'] } });

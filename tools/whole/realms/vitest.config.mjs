import { defineConfig } from 'vitest/config';

/** @param {'vmThreads' | 'vmForks'} pool */
const project = (pool) => ({ test: { name: pool, pool, include: ['sandbox.mjs'] } });

export default defineConfig({
  root: import.meta.dirname,
  test: { projects: [project('vmThreads'), project('vmForks')] },
});

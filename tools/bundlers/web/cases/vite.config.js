import { defineConfig } from 'vite';

const headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export default defineConfig({
  // The workers load their cases by dynamic imports.
  worker: { format: 'es' },
  preview: { headers },
});

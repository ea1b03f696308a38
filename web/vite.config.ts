import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  // relative addresses: the pages work from any folder of any host
  base: './',
  plugins: [svelte({ configFile: false })],
  worker: { format: 'es' },
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // a data: address is refused by the policy for scripts, and saves nothing from a server on this machine
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 3000,
    rolldownOptions: {
      input: [here('index.html'), here('live.html'), here('lake.html')],
      checks: { pluginTimings: false },
    },
  },
});

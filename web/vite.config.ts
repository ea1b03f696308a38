import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig, type Plugin, type ProxyOptions } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Where `skein view` or `skein live` listens: what pages ask of their server goes there. */
const target = `http://127.0.0.1:${Number(process.env.SKEIN_PORT ?? 8088)}`;

const proxy: ProxyOptions = {
  target,
  changeOrigin: true,
  rewriteWsOrigin: true,
  // the server refuses requests of pages of another origin
  configure: (server) =>
    server.on('proxyReq', (request) => request.hasHeader('origin') && request.setHeader('origin', target)),
};

/** Vite injects styles and its client into the pages that it serves, which their policy forbids. */
function withoutPolicy(): Plugin {
  return {
    name: 'without-policy',
    apply: 'serve',
    transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
  };
}

export default defineConfig({
  root: here('.'),
  // relative addresses: the pages work from any folder of any host
  base: './',
  plugins: [svelte({ configFile: false }), withoutPolicy()],
  // `npm run dev`
  server: {
    host: '127.0.0.1',
    fs: { allow: [here('..')] },
    // the address with the token, too: the server gives the browser its cookie
    proxy: { '^/(v1/|metrics)': { ...proxy, ws: true }, '^/\\?token=': proxy },
  },
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

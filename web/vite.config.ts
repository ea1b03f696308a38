import { createHash } from 'node:crypto';
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

const WORKER = 'service-worker';
/** Pages that need their server: they are not kept. */
const OTHER_PAGES = ['live', 'lake'];

/** Tells the service worker which files the Log page has, and gives it a name that changes with them. */
function keptFiles(): Plugin {
  return {
    name: 'kept-files',
    enforce: 'post',
    generateBundle(_, bundle) {
      const worker = bundle[`${WORKER}.js`];
      if (worker?.type !== 'chunk') throw new Error('the service worker is not built');
      const files = Object.keys(bundle)
        .filter((name) => name.startsWith('assets/') && !isOther(name))
        .sort();
      const version = createHash('sha256').update(files.join()).digest('hex').slice(0, 12);
      const list = [...files, ...PUBLIC].map((name) => JSON.stringify(name)).join(',');
      worker.code = worker.code.replace(/(["'`])__FILES__\1/, list).replace('__VERSION__', version);
    },
  };
}

const PUBLIC = ['manifest.webmanifest', 'icon-192.png'];
const isOther = (name: string): boolean => OTHER_PAGES.some((page) => name.startsWith(`assets/${page}-`));

export default defineConfig({
  root: here('.'),
  // relative addresses: the pages work from any folder of any host
  base: './',
  plugins: [svelte({ configFile: false }), withoutPolicy(), keptFiles()],
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
      input: [here('index.html'), here('live.html'), here('lake.html'), here(`offline/${WORKER}.ts`)],
      output: {
        // its place says for which pages it may answer, and its name must not change
        entryFileNames: ({ name }) => (name === WORKER ? `${WORKER}.js` : 'assets/[name]-[hash].js'),
      },
      checks: { pluginTimings: false },
    },
  },
});

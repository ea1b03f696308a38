// The Log page as one file that a browser opens from disk: there, pages may load neither modules nor workers from other
// files. Everything is inside as one plain script, workers as texts that it makes workers of.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build, defineConfig, type Plugin } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const MAP_WORKER = 'maplibre-gl/dist/maplibre-gl-worker.mjs';
const NAME = 'skein-log.html';

/** Adds workers to the script. The map library expects an address, and takes one that ends in .cjs for a plain script. */
function workersInside(): Plugin {
  const marker = '\0map-worker';
  return {
    name: 'workers-inside',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (id === `${MAP_WORKER}?worker&url`) return marker;
      if (!id.endsWith('?worker')) return null;
      return this.resolve(`${id}&inline`, importer, { skipSelf: true });
    },
    async load(id) {
      if (id !== marker) return null;
      const worker = await this.resolve(MAP_WORKER);
      if (!worker) throw new Error(`${MAP_WORKER} is not there`);
      const code = await plainScript(worker.id);
      return `export default URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' })) + '#.cjs'`;
    },
  };
}

async function plainScript(entry: string): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'warn',
    build: { write: false, target: 'es2022', lib: { entry, formats: ['iife'], name: 'mapWorker' } },
  });
  const [{ output }] = Array.isArray(made) ? made : [made as never];
  return output[0].code;
}

/** Writes one page of what was built. Its policy allows these very texts and nothing else: no request can leave it. */
function onePage(): Plugin {
  return {
    name: 'one-page',
    enforce: 'post',
    generateBundle(_, bundle) {
      const parts = Object.values(bundle);
      const script = parts.flatMap((part) => (part.type === 'chunk' ? [part.code] : [])).join('\n');
      const style = parts.flatMap((part) => (part.type === 'asset' ? [String(part.source)] : [])).join('\n');
      for (const name of Object.keys(bundle)) delete bundle[name];
      this.emitFile({ type: 'asset', fileName: NAME, source: page(script, style) });
    },
  };
}

function page(script: string, style: string): string {
  // what ends a script, or hides its end, means the same to the script with a backslash in it
  const safe = script.replace(/\r\n?/g, '\n').replace(/<(?=\/script|script|!--)/gi, '\\x3c');
  const icon = `data:image/svg+xml;base64,${readFileSync(here('shared/skein.svg')).toString('base64')}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(safe)}`,
    `style-src ${hashOf(style)}`,
    'img-src data: blob:',
    'media-src blob:',
    'worker-src blob:',
    // the map library reads its worker so
    'connect-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const replaced = (text: string, pattern: RegExp, by: string): string => {
    if (!pattern.test(text)) throw new Error(`index.html has no ${pattern}`);
    return text.replace(pattern, () => by);
  };
  // a page on disk cannot be installed
  const html = replaced(readFileSync(here('index.html'), 'utf8'), /\s*<link rel="manifest"[^>]*>/, '');
  const head = replaced(
    replaced(html, /content="default-src[^"]*"/, `content="${policy}"`),
    /href="[^"]*\.svg"/,
    `href="${icon}"`,
  );
  const styled = replaced(head, /<script type="module"[^>]*><\/script>/, `<style>${style}</style>`);
  return replaced(styled, /(?<=<div id="app"><\/div>)/, `\n    <script>${safe}</script>`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

export default defineConfig({
  root: here('.'),
  base: './',
  publicDir: false,
  plugins: [svelte({ configFile: false }), workersInside(), onePage()],
  worker: { format: 'iife' },
  build: {
    outDir: here('../dist/web'),
    emptyOutDir: false,
    target: 'es2022',
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: {
      input: here('log/main.ts'),
      output: { format: 'iife', codeSplitting: false },
      // a script inside a page has no address
      transform: { define: { 'import.meta': '{}' } },
      checks: { pluginTimings: false },
    },
  },
});

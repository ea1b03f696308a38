/// <reference lib="webworker" />
// Keeps the Log page so that it opens without a network. It answers for the files of the page that were built with it and
// for nothing else: what a server of ours has, and the other pages, are always asked for.

declare const self: ServiceWorkerGlobalScope;

export {};

/** The files of the page, put in by the build, with a name that changes with them. */
const FILES: readonly string[] = ['__FILES__'];
const VERSION = 'skein-__VERSION__';
const HOME = './';

const here = (path: string): string => new URL(path, self.registration.scope).href;
const known = new Set(FILES.map(here));

self.addEventListener('install', (event) => {
  // past the caches of the browser, which may hold files of another version
  const requests = [HOME, ...FILES].map((path) => new Request(here(path), { cache: 'no-cache' }));
  event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(requests)));
});

self.addEventListener('activate', (event) => {
  const others = async (): Promise<void> => {
    for (const name of await caches.keys())
      if (name.startsWith('skein-') && name !== VERSION) await caches.delete(name);
  };
  event.waitUntil(others());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  url.search = '';
  url.hash = '';
  if (request.method !== 'GET') return;
  const kept = (path: string): Promise<Response | undefined> => caches.open(VERSION).then((cache) => cache.match(path));
  if (request.mode === 'navigate') {
    // a newer page, where there is one
    if (url.href === here(HOME) || url.href === here('index.html'))
      event.respondWith(fetch(request).catch(async () => (await kept(here(HOME))) ?? Response.error()));
  } else if (known.has(url.href)) {
    event.respondWith(kept(url.href).then((found) => found ?? fetch(request)));
  }
});

/** Files that the system gives to an installed page. https://wicg.github.io/web-app-launch/ */
interface LaunchQueue {
  setConsumer(take: (launch: { readonly files?: readonly FileSystemFileHandle[] }) => void): void;
}

/** Keeps the page for when there is no network, once nothing else has to be fetched. A page on disk has all it needs. */
export function keepOffline(): void {
  if (location.protocol === 'file:' || !('serviceWorker' in navigator)) return;
  const keep = (): void => {
    navigator.serviceWorker.register('./service-worker.js').catch(() => {
      // the host or the browser does not allow it, or this is `npm run dev`: the page works as before
    });
  };
  if (document.readyState === 'complete') setTimeout(keep, LATER);
  else addEventListener('load', () => setTimeout(keep, LATER), { once: true });
}

/** Milliseconds that the first plots have for themselves. */
const LATER = 3000;

/** Opens the logs with which the installed page was started. */
export function openLaunched(openAll: (files: Iterable<File>) => void): void {
  const { launchQueue } = window as { launchQueue?: LaunchQueue };
  launchQueue?.setConsumer(async ({ files = [] }) => {
    if (files.length > 0) openAll(await Promise.all(files.map((file) => file.getFile())));
  });
}

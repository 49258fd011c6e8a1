// Shared memory needs two headers. Where the host does not send them, a service worker adds them, and the page loads
// once more.

const RELOADED = 'sluice-demo-reloaded';

/** What the page says where it cannot run. */
export interface Obstacle {
  readonly why: string;
  readonly what: string;
}

/** `undefined`: memory can be shared. Does not settle if the page is about to load again. */
export async function obstacle(): Promise<Obstacle | undefined> {
  if (typeof SharedArrayBuffer === 'function') {
    sessionStorage.removeItem(RELOADED);
    return undefined;
  }
  if (!isSecureContext) {
    return {
      why: 'This page was loaded over plain HTTP, where browsers share no memory between threads.',
      what: 'Open it over HTTPS, or on localhost.',
    };
  }
  if (!('serviceWorker' in navigator)) {
    return {
      why: 'The server of this page does not send the headers that shared memory needs, and this window allows no service worker to add them.',
      what: 'Open the page in a window that is not private, or send Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.',
    };
  }
  if (sessionStorage.getItem(RELOADED) !== null) {
    sessionStorage.removeItem(RELOADED);
    return {
      why: 'This browser shares no memory between threads here, although the page asked for it.',
      what: 'Load the page again without a forced reload, or use a current version of Chrome, Edge, Firefox or Safari.',
    };
  }
  return await install();
}

async function install(): Promise<Obstacle> {
  try {
    await navigator.serviceWorker.register(new URL('isolate-worker.js', location.href));
    await navigator.serviceWorker.ready;
  } catch (failure) {
    return {
      why: `The service worker that adds the headers for shared memory could not start: ${String(failure)}`,
      what: 'Allow service workers for this site, or serve it with Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.',
    };
  }
  sessionStorage.setItem(RELOADED, 'yes');
  location.reload();
  return new Promise(() => undefined);
}

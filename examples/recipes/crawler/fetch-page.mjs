import { Semaphore } from 'sluice';
import { workerData } from 'node:worker_threads';

const tokens = Semaphore.from(workerData.tokens);

/**
 * The links of a page that lead to pages of the same site.
 * @param {string} url
 */
export default async function fetchPage(url) {
  await tokens.acquireAsync(1, { timeout: 30_000 });
  const response = await fetch(url);
  const html = await response.text();
  const links = [...html.matchAll(/href="([^"#]+)"/g)].map(([, href = '']) => new URL(href, url));
  return links.filter(({ origin }) => origin === new URL(url).origin).map(({ href }) => href);
}

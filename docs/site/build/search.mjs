// @ts-check
// What the search of the site indexes.

/**
 * Words that people search for and the pages do not use.
 * @type {Readonly<Record<string, string>>}
 */
export const WORDS = {
  'hang.md':
    'hang hangs hung stuck freeze frozen deadlock livelock unresponsive blocked does not exit never exits Atomics.wait piscina vitest why-is-node-running thread dump',
  'troubleshooting.md': 'error hang stuck deadlock',
  'primitives/bounded-buffer.md': 'queue channel mpmc ring buffer back-pressure backpressure producer consumer',
  'primitives/cache.md': 'lru cache memoize memo stampede dedupe single flight stale-while-revalidate ttl',
  'primitives/limit.md': 'throttle debounce rate limit concurrency p-limit p-queue quota',
  'primitives/named.md':
    'lock per key keyed dedupe single flight web locks navigator.locks rate limit per user ip tenant throttle',
  'primitives/worker-pool.md': 'thread pool piscina tinypool workerpool offload cpu parallel map',
  'primitives/mutex.md': 'lock critical section race condition synchronized',
  'primitives/redis.md': 'distributed lock redlock cluster processes',
  'redis/cache.md': 'distributed cache stampede thundering herd dogpile single flight dedupe memoize ttl',
  'redis/keyed-limits.md': 'distributed rate limit per user per ip per key quota retry-after throttle api gateway',
  'recipes/shared-cache.md': 'lru cache memoize memo stampede thundering herd dogpile',
  'recipes/one-job-per-key.md': 'dedupe deduplicate single flight coalesce stampede',
  'recipes/api-limit.md': 'throttle api rate limit concurrency',
  'recipes/tenant-limit.md': 'throttle per user per ip per key quota fair noisy neighbour multi-tenant retry-after',
  'recipes/ordered-pipeline.md': 'stream etl back-pressure backpressure pipeline parallel map',
  'recipes/graceful-shutdown.md': 'sigterm drain shutdown kubernetes',
  'recipes/cancel-everything.md': 'abort cancel AbortController timeout',
};

const CODE = /<pre[\s>][^]*?<\/pre>/g;
const PROSE = /<(p|ul|ol|table)[\s>][^]*?<\/\1>/g;
/**
 * Headings that each class and each call of the API has. They were two thirds of the index, and no search is for them.
 */
const PARTS =
  /<h([2-6])[\s>][^>]*>(Returns|Throws|Parameters|Type Parameters|Inherited from|Overrides|Extends|Extended by|Implements|Implementation of|Properties|Methods|Accessors|Constructors?|Interfaces|Classes|Functions|Variables|Type Aliases|References|(Get|Set|Call) Signature)\s*<[^]*?<\/h\1>/g;
/** The headings of the package `sluice`, which only lead to those of other packages. */
const REFERENCES = /<h([2-6])[\s>][^]*?<\/h\1>/g;

/**
 * Returns what the index has of a page: its prose, and the words that lead to it. Decisions and the API are found by
 * their headings.
 * @param {string} html
 * @param {string} page
 */
export function indexedText(html, page) {
  const words = WORDS[page];
  const prose = html.replaceAll(CODE, '');
  const text = /^(decisions|api)\//.test(page) ? headings(prose.replaceAll(PROSE, ''), page) : prose;
  return words === undefined ? text : text.replace('</h1>', `</h1><p>${words}</p>`);
}

/**
 * Returns the headings that lead to something of their own.
 * @param {string} html
 * @param {string} page
 */
function headings(html, page) {
  if (page.startsWith('api/sluice/')) return html.replaceAll(REFERENCES, '');
  return page.startsWith('api/') ? html.replaceAll(PARTS, '') : html;
}

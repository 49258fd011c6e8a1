// @ts-check
// What of web-platform-tests/web-locks cannot pass in threads that share memory, and why.

/** Files that are not run, as their names begin. @type {readonly (readonly [prefix: string, why: string])[]} */
export const NOT_RUN = [
  ['bfcache/', 'documents: there is no back-forward cache'],
  ['clientids', 'documents: there is no service worker that would know the client'],
  ['crashtests/', 'documents: it tests that a page does not crash'],
  ['frames', 'documents: its clients are frames'],
  ['non-fully-active', 'documents: there is none that could be inactive'],
  ['non-secure-context', 'origins: every thread that has the arena has the locks'],
  ['opaque-origin', 'origins: every thread that has the arena has the locks'],
  ['partitioned-web-locks', 'origins: there are no partitions'],
  ['query-ordering', 'documents: its clients are frames'],
  ['release-following-termination', 'documents: its client is a frame that navigates'],
  ['storage-buckets', 'storage: there are no buckets'],
  ['windows', 'documents: its clients are windows'],
];

/** Subtests that fail, by file. @type {readonly (readonly [prefix: string, subtest: RegExp, why: string])[]} */
export const FAILING = [
  [
    'idlharness',
    /^LockManager interface: existence and properties of interface object$/,
    'every constructor of Sluice that is not for callers throws MisuseError',
  ],
  ['idlharness', /^Stringification of navigator\.locks$/, 'toString returns the title that messages use'],
];

/** @param {string} name of a file */
export const whyNotRun = (name) => NOT_RUN.find(([prefix]) => name.startsWith(prefix))?.[1];

/** @param {string} name of a file @param {string} subtest */
export const whyFailing = (name, subtest) =>
  FAILING.find(([prefix, pattern]) => name.startsWith(prefix) && pattern.test(subtest))?.[2];

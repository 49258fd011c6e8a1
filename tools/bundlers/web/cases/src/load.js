const ENTRIES = {
  '@sluice/all': () => import('@sluice/all'),
  '@sluice/bounded-buffer/web-streams': () => import('@sluice/bounded-buffer/web-streams'),
};

export const loaderOf = () => (entry) => ENTRIES[entry]();

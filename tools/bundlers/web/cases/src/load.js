const ENTRIES = {
  'sluice': () => import('sluice'),
  '@sluice/bounded-buffer/web-streams': () => import('@sluice/bounded-buffer/web-streams'),
};

export const loaderOf = () => (entry) => ENTRIES[entry]();

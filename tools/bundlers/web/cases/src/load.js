const ENTRIES = {
  sluice: () => import('sluice'),
  'sluice/js': () => import('sluice/js'),
  '@sluice/bounded-buffer/web-streams': () => import('@sluice/bounded-buffer/web-streams'),
};

export const loaderOf = () => (entry) => ENTRIES[entry]();

// The entry 'sluice/view', for Node.js: `SLUICE_VIEW=1 node --import sluice/view app.js`.

export * from '@sluice/inspect/view';

// The entry 'sluice/why', for Node.js: `node --import sluice/why app.js`.

export * from '@sluice/inspect/why';

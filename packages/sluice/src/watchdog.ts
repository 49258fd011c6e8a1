// The entry 'sluice/watchdog', for Node.js: `SLUICE_WATCHDOG=5 node --import sluice/watchdog app.js`.

export * from '@sluice/inspect/watchdog';

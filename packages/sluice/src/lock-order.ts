// The entry 'sluice/lock-order', for Node.js: `node --import sluice/lock-order app.js`.

import '@sluice/inspect/lock-order';

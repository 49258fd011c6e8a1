// mutexify's other interface: without a callback, a promise of the release.
'use strict';
const mutexify = require('./index.js');

module.exports = function mutexifyPromise() {
  const acquire = mutexify();
  const lock = () => new Promise((resolve) => acquire(resolve));
  Object.defineProperty(lock, 'locked', { get: () => acquire.locked });
  return lock;
};

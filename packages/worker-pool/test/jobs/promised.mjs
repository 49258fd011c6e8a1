// @ts-check
// A default export that is a promise.
import { setTimeout as sleep } from 'node:timers/promises';

export default sleep(5).then(() => (/** @type {number} */ input) => ['promised', input]);

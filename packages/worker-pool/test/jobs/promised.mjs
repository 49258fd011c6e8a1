// @ts-check
// A default export that is made asynchronously.
import { setTimeout as sleep } from 'node:timers/promises';

export default sleep(5).then(() => (/** @type {number} */ input) => ['promised', input]);

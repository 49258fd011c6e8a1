// @ts-check
// What a worker pays for an import of five files that do nothing: the core has as many.
import './1.mjs';
import './2.mjs';
import './3.mjs';

export { Semaphore } from './one.mjs';

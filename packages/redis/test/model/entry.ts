// The entry of the models. A mutant is this entry bundled with one line changed.

export { Space } from '../../../remote/src/space.ts';
export { RedisEngine } from '../../src/server/engine.ts';

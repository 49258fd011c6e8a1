import { handleSuite } from '../../core/test/support/handle-suite.ts';
import { STREAM, type NumberStream } from './misuse/broadcasts.ts';

const isOne = (one: NumberStream, other: NumberStream): boolean => {
  const [theirs, ours] = [other.subscribe(), one.subscribe()];
  one.publish(41);
  other.publish(42);
  return theirs.tryNext() === 41 && ours.tryNext() === 41 && theirs.tryNext() === 42;
};

handleSuite(STREAM, 'sluice.broadcast', isOne, { codec: 'int32' });

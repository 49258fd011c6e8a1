// The steps that this package's WebAssembly kernel exports. Each becomes one function without loops and calls.

export { downgrade, endWriterTurn, enqueueReader, enqueueWriter, handOverWriter, lockReader, lockWriter, unlockReader, unlockWriter } from './rw-lock.ts';
export {
  cancelDeadReaderWait,
  cancelDeadWriterWait,
  cancelReaderWait,
  cancelWriterWait,
  makeWriterDue,
  parkWriter,
  pollReader,
  pollWriter,
  restoreReader,
  restoreWriter,
} from './waiters.ts';

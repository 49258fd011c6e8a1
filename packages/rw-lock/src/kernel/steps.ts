// The steps that this package's WebAssembly kernel exports. Each becomes one function without loops and calls.

export { unlockReader } from './unlock-reader.ts';
export { downgradeWriter, handOverWriter, unlockWriter } from './unlock-writer.ts';
export { enqueueReader, enqueueWriter, lockReader, lockWriter } from './rw-lock.ts';
export { moveToWriter } from './move-to-writer.ts';
export {
  cancelReaderWait,
  cancelWriterWait,
  makeWriterDue,
  parkWriter,
  pollReader,
  pollWriter,
  restoreReader,
  restoreWriter,
} from './waiters.ts';

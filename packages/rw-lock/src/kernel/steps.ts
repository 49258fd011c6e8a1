// The steps that this package's WebAssembly kernel exports. Each becomes one function without loops and calls.

export {
  cancelDeadReaderWait,
  cancelDeadWriterWait,
  cancelReaderWait,
  cancelWriterWait,
  downgrade,
  enqueueReader,
  enqueueWriter,
  handOverWriter,
  lockReader,
  lockWriter,
  pollReader,
  pollWriter,
  restoreReader,
  restoreWriter,
  unlockReader,
  unlockWriter,
} from './rw-lock.ts';

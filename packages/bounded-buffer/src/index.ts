// The entry '@sluice/bounded-buffer'.

export { BoundedBuffer } from './buffer/bounded-buffer.ts';
export type { Codec } from './api/codec.ts';
export type { BoundedBufferHandle } from './api/handle.ts';
export type {
  BufferOptions,
  ByteBufferOptions,
  NumberBufferOptions,
  PlacedOptions,
  TakingOptions,
} from './api/options.ts';
export { BufferReader, BufferWriter, type View } from './buffer/in-place.ts';
export type { BufferReport } from './buffer/report.ts';

// The entry '@sluice/bounded-buffer'.

export { BoundedBuffer } from './bounded-buffer.ts';
export type { Codec } from './codec.ts';
export type { BoundedBufferHandle } from './handle.ts';
export type { BufferOptions, ByteBufferOptions, NumberBufferOptions, PlacedOptions, TakingOptions } from './options.ts';
export { BufferReader, BufferWriter, type View } from './in-place.ts';
export type { BufferReport } from './report.ts';

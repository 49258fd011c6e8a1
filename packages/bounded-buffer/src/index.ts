// What `@sluice/bounded-buffer` exports.

export { BoundedBuffer, type BoundedBufferHandle } from './bounded-buffer.ts';
export type { Codec } from './codec.ts';
export type { BufferOptions, ByteBufferOptions, NumberBufferOptions, PlacedOptions, TakingOptions } from './options.ts';
export type { BufferReport } from './report.ts';

// How values lie in the ring. A position counts units of room, and wraps; only the owner of a side's lock writes or reads there.

export interface Store<Packed> {
  /** Bytes of a unit of room; 1 where units are values. */
  readonly unitBytes: number;
  /** What is written for `value`. Throws `TypeError`, `RangeError`, and what a codec throws. */
  pack(value: unknown): Packed;
  /** Whether `unpack` may throw: it calls a codec of the user's. */
  readonly mayFail: boolean;
  unpack(packed: Packed): unknown;
  /** The same, independent of what the caller may still change. */
  keep(packed: Packed): Packed;
  /** Units of room that it takes. */
  unitsOf(packed: Packed): number;
  write(position: number, packed: Packed): void;
  /** A copy. */
  read(position: number): Packed;
}

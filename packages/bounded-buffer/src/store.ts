// How values are stored in the ring. A position counts units of room, and wraps. Only the owner of a side's lock writes
// or reads there.

export interface Store<Packed> {
  /** Bytes per unit of room; 1 where a unit is a value. */
  readonly unitBytes: number;
  /** Converts `value` to what is written. Throws `TypeError`, `RangeError`, and what a codec throws. */
  pack(value: unknown): Packed;
  /** Whether `unpack` may throw, because it calls a user's codec. */
  readonly mayFail: boolean;
  unpack(packed: Packed): unknown;
  /** The same value, independent of memory that the caller may still change. */
  keep(packed: Packed): Packed;
  /** Units of room that the value takes. */
  unitsOf(packed: Packed): number;
  write(position: number, packed: Packed): void;
  /** Returns a copy. */
  read(position: number): Packed;
  /** Whether the values are int32, which steps of the kernel write and read. */
  readonly isInt32?: boolean;
  /** For values of one unit each that need no conversion: all at once. */
  readonly many?: Many | undefined;
}

export interface Many {
  /**
   * Returns a copy, or `values` if nothing can change in it during the call. Throws as `pack`, before anything is
   * written.
   */
  pack(values: ArrayLike<unknown>): ArrayLike<number>;
  /** Writes the first `count`. */
  write(position: number, packed: ArrayLike<number>, count: number): void;
  read(position: number, count: number): number[];
}

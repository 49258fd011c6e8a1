// The storage of values in the ring. A position counts units of room, and wraps. Only the owner of a side's lock reads
// or writes there.

export interface ValueStore<Packed> {
  /** Bytes per unit of room. 1 if a unit is a value. */
  readonly unitBytes: number;
  /** Converts `value` to its stored form. Throws `TypeError`, `RangeError`, and the errors of a codec. */
  pack(value: unknown): Packed;
  /** Whether `unpack` may throw, because it calls a user's codec. */
  readonly mayFail: boolean;
  unpack(packed: Packed): unknown;
  /** Returns the same value, independent of memory that the caller may still change. */
  keep(packed: Packed): Packed;
  /** Returns the units of room that the value takes. */
  unitsOf(packed: Packed): number;
  write(position: number, packed: Packed): void;
  /** Returns a copy. */
  read(position: number): Packed;
  /** Whether the values are int32, which kernel steps write and read. */
  readonly isInt32?: boolean;
  /** Handles several values at once. Only for values of one unit each that need no conversion. */
  readonly many?: Many | undefined;
}

export interface Many {
  /**
   * Returns a copy, or `values` if it cannot change during the call. Throws the errors of `pack` before anything is
   * written.
   */
  pack(values: ArrayLike<unknown>): ArrayLike<number>;
  /** Writes the first `count` values. */
  write(position: number, packed: ArrayLike<number>, count: number): void;
  read(position: number, count: number): number[];
}

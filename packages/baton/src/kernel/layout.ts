// What a baton adds to the core's layout.

/** In the line: the value. Only the holder writes it. */
export const VALUE: i32 = 32;

// The words of this package's gates.

// Words of a capacitor, beside those of a first line (capacitor.ts). LIMIT holds B.
export const TALLY: i32 = 56; // departures still to come before the capacitor opens

// Words of a capacitor over a semaphore, beside those of a capacitor. They do not change.
export const GATE: i32 = 16; //       address of the semaphore
export const GATE_TAG: i32 = 20; //   its tag

// Words of a capacitor with one lane, beside those of a capacitor and of a line with tickets.

// Words of a capacitor with lanes, beside those of a capacitor. Its semaphores are in the lines behind, one per lane
// (lanes.ts).
export const ARRIVED: i32 = 16; //    arrivals, wrapping: the next one's lane
export const CREDITED: i32 = 20; //   permits given, wrapping: the next one's lane
export const LANE_BITS: i32 = 24; //  log2 of the number of lanes
export const LANES_LEFT: i32 = 28; // lanes that the opening agent has not reached yet

// Words of a lane of a capacitor, beside those of a line with its own chain.
export const HOME: i32 = 52; //       address of the block

// Values.
/** A bit of FLAGS of a capacitor with lanes. */
export const FLAG_LANED: i32 = 8192;

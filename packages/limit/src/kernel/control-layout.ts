// The words of a limit that finds its size or sheds calls: a region that all its agents share.
//
//   words              written by
//   SLOTS to SHED,     the creator, before any other agent knows the limit
//   TOLERANCE
//   SHED_COUNT         each agent that sheds a call; add
//   VERSION, COPIES,   the owner of the limit's lock. It writes the copy that is not current, then VERSION, then BATCH,
//   BATCH, EPOCH       then EPOCH

export const SLOTS = 0; //        i32: the address of the semaphore of the slots
export const MIN = 4; //          i32: the minimum of slots; 0: the limit is not adaptive
export const MAX = 8; //          i32
export const MAX_WAITING = 12; // i32
export const SHED = 16; //        i32: ANY_NUMBER, NEWEST or OLDEST
export const SHED_COUNT = 20; //  i32: the number of calls that were shed
export const VERSION = 24; //     i32: its lowest bit selects the current copy of the state
export const EPOCH = 28; //       i32: the number of changes of the size
export const BATCH = 32; //       i32: the number of samples that an agent collects before it adds them to the state
export const TOLERANCE = 40; //   a double; it never changes
export const COPIES = 48; //      two copies of the state, each STATE_DOUBLES doubles

// Values: of SHED.
export const ANY_NUMBER = 0;
export const NEWEST = 1;
export const OLDEST = 2;

// Values.
export const STATE_DOUBLES = 12;
export const CONTROL_BYTES = 48 + 2 * 8 * STATE_DOUBLES;

// What the reporter gets from the threads of the program, beside the table.

/** The channel on which threads tell of the arenas of Sluice that they open. */
export const ARENAS_CHANNEL = '@sluice/inspect why, arenas';

/** The channel of full answers. */
export const ANSWERS_CHANNEL = '@sluice/inspect why, answers';

/** The reporter's `workerData`. */
export interface ReporterData {
  readonly table: SharedArrayBuffer;
  /** ms. */
  readonly after: number;
  /** The folder for dumps of arenas of Sluice, if there are to be any. */
  readonly dumps: string | undefined;
}

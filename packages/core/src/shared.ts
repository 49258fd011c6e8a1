// What the core shares with the other packages. In the build, one file has all of it, and the entries `calls`,
// `internal` and `report` are lists of its names (tsup.config.ts).

export * from './calls.ts';
export * from './internal.ts';
export * from './report.ts';

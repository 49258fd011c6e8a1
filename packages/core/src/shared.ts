// All names that the core exports to other packages only. The build makes one file of them. The entries `calls`,
// `internal` and `report` re-export their names from that file (tsup.config.ts).

export * from './calls.ts';
export * from './internal.ts';
export * from './report.ts';

// The entry '@sluice/inspect/drawing': the drawing of an arena, for pages and files. It needs no thread and no arena.

export { arenaSvg, drawArena, LiveView, type ViewElement, type DrawingOptions } from './drawing/live-view.ts';
export type { Platoon, Turn, ViewDeadlock, ViewReport, ViewUse } from './drawing/rows.ts';
export { duration } from './drawing/svg.ts';

// The entry 'sluice/drawing': the drawing of an arena, for pages and files.

export * from '@sluice/inspect/drawing';

// The entry '@sluice/inspect/view', for Node.js. With SLUICE_VIEW in the environment, loading it starts a view for the
// whole process (docs/decisions/235-the-view-is-a-thread-that-serves-frames-on-request.md).
// Without, loading it does nothing.

import { viewProcess } from './view/view-process.ts';

export { startView, ArenaView, type ViewOptions } from './view/start-view.ts';

viewProcess();

// @ts-check
import { workspacePackages } from '../../../scripts/workspace.mjs';

/**
 * The facts that the manifest of each package has under `sluice`.
 * @type {import('./graph.mjs').Ranks}
 */
export const ranks = Object.fromEntries(
  workspacePackages(['packages']).flatMap(({ manifest: { name, sluice } }) =>
    sluice === undefined ? [] : [[name, sluice]],
  ),
);

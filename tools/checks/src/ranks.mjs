// @ts-check
import { workspacePackages } from '../../../scripts/workspace.mjs';

/**
 * What the manifest of each package says of itself, under `sluice`.
 * @type {import('./graph.mjs').Ranks}
 */
export const ranks = Object.fromEntries(
  workspacePackages(['packages']).flatMap(({ manifest: { name, sluice } }) =>
    sluice === undefined ? [] : [[name, sluice]],
  ),
);

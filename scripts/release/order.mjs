// @ts-check
/** @typedef {import('../workspace.mjs').WorkspacePackage} WorkspacePackage */

/**
 * Each package after those that it depends on, so that no published package misses one.
 * @param {readonly WorkspacePackage[]} packages
 * @returns {WorkspacePackage[]}
 */
export function publishOrder(packages) {
  const left = new Map(packages.map((each) => [each.manifest.name, each]));
  /** @type {WorkspacePackage[]} */
  const ordered = [];
  while (left.size > 0) {
    const ready = [...left.values()].filter(
      ({ manifest }) => !Object.keys(manifest.dependencies ?? {}).some((name) => left.has(name)),
    );
    if (ready.length === 0)
      throw new Error(`Packages depend on each other in a circle: ${[...left.keys()].join(', ')}`);
    for (const each of ready) left.delete(each.manifest.name);
    ordered.push(...ready);
  }
  return ordered;
}

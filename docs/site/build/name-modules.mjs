// @ts-check
// A plugin of typedoc: a package is called by its name, not by the folder of its entry point.

/** The part of typedoc that is used here: the site's packages are not there where sources are type-checked. */
/** @typedef {{ name: string }} Module */
/** @typedef {{ converter: { on: (event: string, listener: (context: { project: { children?: Module[] } }) => void) => void } }} Application */

/** @param {Application} application */
export function load(application) {
  application.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? []) module.name = `@sluice/${module.name.replace(/\/src$/, '')}`;
  });
}

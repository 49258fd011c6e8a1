// @ts-check
// A plugin of typedoc: a package is called by its name, not by the folder of its entry point, and what a debugger calls
// is left out.

// The part of typedoc that is used here: the site's packages are not there where sources are type-checked.
/** @typedef {{ name: string }} Reflection */
/**
 * @typedef {{ children?: Reflection[], reflections: Record<string, Reflection>, removeReflection: (reflection:
 *   Reflection) => void }} Project
 */
/**
 * @typedef {{ converter: { on: (event: string, listener: (context: { project: Project }) => void) => void } }}
 *   Application
 */

/**
 * The name by which programs import a module. The facade lies outside of the scope.
 * @param {string} path such as `mutex` or `bounded-buffer/select`
 */
const nameOf = (path) => (path === 'sluice' || path.startsWith('sluice/') ? path : `@sluice/${path}`);

/** @param {Application} application */
export function load(application) {
  application.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? []) module.name = nameOf(module.name.replace(/\/src\b/, ''));
    for (const member of Object.values(project.reflections).filter(({ name }) => name === '[INSPECT]'))
      project.removeReflection(member);
  });
}

// @ts-check
// The errors of a call are tags of its docstring, one for each: editors show them as a list.

/** A sentence that begins with the verb, with or without a named error. */
const SENTENCE = /(?:^|[.:;)] )((?:Also |Otherwise )?[Tt]hrows .*?)(?:\.(?= |$)|$)/;

/**
 * Docstrings whose description has a sentence "Throws …".
 * @param {string} name of the file
 * @param {string} source
 * @returns {string[]}
 */
export function throwsProblems(name, source) {
  return [...source.matchAll(/\/\*\*([\s\S]*?)\*\/\s*(.*)/g)].flatMap(([, docstring = '', below = '']) => {
    const text = docstring
      .replaceAll(/```[\s\S]*?```/g, '')
      .replaceAll(/\n\s*\*/g, ' ')
      .replaceAll(/\s+/g, ' ');
    const [description = ''] = text.split(/ @\w/);
    const sentence = SENTENCE.exec(description.trim())?.[1];
    return sentence === undefined
      ? []
      : [
          `${name}: '${below.trim().slice(0, 60)}' says '${sentence.slice(0, 60)}': write @throws {Error} with the condition`,
        ];
  });
}

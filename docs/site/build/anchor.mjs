// @ts-check
// The name of a heading in a link, the same as where the documents are read in the repository.

/** @param {string} heading */
export const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

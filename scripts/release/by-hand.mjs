// @ts-check
/**
 * Returns the steps that only a person can do, in order.
 * @param {{ version: string, origin: string, isPlaceholder: boolean, tarballs: readonly string[] }} release
 * @returns {string}
 */
export function byHand({ version, origin, isPlaceholder, tarballs }) {
  const steps = [
    'On an idle machine: `npm run check`, `npm run test:browsers`, `npm run matrix`, `npm run test:soak`, and `npm run bench`. The matrix writes docs/matrix.md; results of the benchmarks go into benchmarks/results, their figures into the README.',
    isPlaceholder
      ? `Set where the repository lives, now a placeholder (${origin}): SLUICE_ORIGIN=https://host/owner/name, or ORIGIN in scripts/release/origin.mjs.`
      : `Check that ${origin} is where the repository lives.`,
    'Look whether the name sluice and the scope @sluice belong to you at the registry. Take the lines that begin with "Not published yet" out of the READMEs and of docs/site.',
    `\`npm run changeset -- version\`, read the changelogs of ${version}, and commit.`,
    `Tag the commit v${version}, and push it with the tag: the READMEs link to pages at that tag.`,
    'From that commit, `npm run release`. It does all of the above again, without the placeholder, and leaves the tarballs in .cache/release.',
    '`npm login`. The account needs two-factor authentication, and the right to publish both.',
    'Publish from a CI job with an identity token (`id-token: write`): the manifests ask for provenance. There is no such job yet, because it depends on the origin. From a shell, publish without: add `--provenance=false`.',
    `Publish in this order, and add \`--otp\` where it is asked for:\n${tarballs.map((file) => `     npm publish .cache/release/${file} --access public`).join('\n')}`,
    'In an empty folder: `npm install sluice`, and a look at the page of each package at the registry.',
  ];
  return `What a person must do:\n${steps.map((step, index) => `${String(index + 1).padStart(3)}. ${step}`).join('\n')}`;
}

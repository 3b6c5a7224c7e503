import * as z from 'zod';

const lockShape = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({ version: z.string().optional(), dev: z.boolean().optional() }),
  ),
});
const sbomShape = z.looseObject({
  packages: z.array(
    z.looseObject({ name: z.string(), SPDXID: z.string(), versionInfo: z.string().optional() }),
  ),
  relationships: z.array(
    z.looseObject({ spdxElementId: z.string(), relatedSpdxElement: z.string() }),
  ),
});

/**
 * The part of an SPDX document that is about packages of the product. `npm sbom --omit dev` also lists packages for
 * development, and `--include prod` drops packages that serve both. Pure.
 * @param sbom the JSON of `npm sbom --sbom-format spdx`
 * @param lock the JSON of package-lock.json
 * @returns JSON
 */
export function productionSbom(sbom: string, lock: string): string {
  const document = sbomShape.parse(JSON.parse(sbom));
  const { packages } = lockShape.parse(JSON.parse(lock));
  const forDevelopment = new Set(
    Object.entries(packages).flatMap(([path, { version = '', dev }]) =>
      dev === true ? [`${path.split('node_modules/').at(-1) ?? ''}@${version}`] : [],
    ),
  );
  const kept = document.packages.filter(
    ({ name, versionInfo = '' }) => !forDevelopment.has(`${name}@${versionInfo}`),
  );
  const ids = new Set([...kept.map(({ SPDXID }) => SPDXID), 'SPDXRef-DOCUMENT']);
  const relationships = document.relationships.filter(
    ({ spdxElementId, relatedSpdxElement }) =>
      ids.has(spdxElementId) && ids.has(relatedSpdxElement),
  );
  return `${JSON.stringify({ ...document, packages: kept, relationships }, undefined, 2)}\n`;
}

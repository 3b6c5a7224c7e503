import { stringify } from 'yaml';
import { openApiDocument } from './openapi-document.ts';

const header = '# Generated from src/cloud by npm run generate. Do not edit.\n';

/** YAML 1.1 quotes texts that older readers would take for dates or booleans. */
export function openApiYaml(): string {
  return header + stringify(openApiDocument(), { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}

import { kinds, resourceTypes } from '../../src/resources/managed-object.ts';

const plurals = kinds.map((kind) => resourceTypes[kind].plural);

/** templates/_kinds.tpl: the plurals in the order in which they are shown, and the kind of each. */
export const kindsTemplate = `{{- /* Generated from src/resources by npm run generate. Do not edit. */ -}}
{{- define "operator.plurals" -}}${plurals.join(', ')}{{- end -}}
{{- define "operator.kinds" -}}{${kinds.map((kind) => `${resourceTypes[kind].plural}: ${kind}`).join(', ')}}{{- end -}}
`;

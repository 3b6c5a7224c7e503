import { parseAllDocuments } from 'yaml';
import * as z from 'zod';

const deployment = z.object({
  kind: z.literal('Deployment'),
  spec: z.object({
    template: z.object({
      spec: z.object({ containers: z.array(z.object({ args: z.array(z.string()) })) }),
    }),
  }),
});

/** The operator's own arguments in its Deployment, as a Pod gets them. */
export function operatorArgs(manifests: string): readonly string[] {
  const [found] = parseAllDocuments(manifests).flatMap(
    (document) => deployment.safeParse(document.toJS()).data ?? [],
  );
  return (found?.spec.template.spec.containers[0]?.args ?? []).map((arg) =>
    arg.replace('$(POD_NAME)', 'operator-7d9f-x2x4z'),
  );
}

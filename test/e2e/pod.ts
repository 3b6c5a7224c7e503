import * as z from 'zod';

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });

const container = z.object({
  name: z.string(),
  args: z.array(z.string()).default([]),
  env: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().default(''),
        valueFrom: z
          .object({ fieldRef: z.object({ fieldPath: z.literal('metadata.name') }) })
          .optional(),
      }),
    )
    .default([]),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
  readinessProbe: probe.optional(),
  restartPolicy: z.string().optional(),
});

/** The part of a Pod that a kubelet goes by. */
export const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    creationTimestamp: z.string(),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({
    nodeName: z.string().optional(),
    serviceAccountName: z.string(),
    terminationGracePeriodSeconds: z.number(),
    initContainers: z.array(container).default([]),
    containers: z.array(container),
    volumes: z
      .array(
        z.object({
          name: z.string(),
          secret: z
            .object({ secretName: z.string(), optional: z.boolean().default(false) })
            .optional(),
        }),
      )
      .default([]),
  }),
});

export type Pod = z.infer<typeof podSchema>;
export type Container = z.infer<typeof container>;

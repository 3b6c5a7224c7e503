import { cloudClient, type CloudClient } from '../../cloud/cloud-client.ts';
import { rateLimiter } from '../../cloud/rate-limiter.ts';
import { version } from '../../operator/version.ts';
import { systemClock } from '../../runtime/index.ts';
import type { LiveKey } from '../copy/cloud-copy.ts';
import type { OperatorOfCluster } from './settings.ts';

/** Each key is opened once, and each read is made once: all plans of a command see the same snapshot. */
export interface LiveCloud extends AsyncDisposable {
  open(key: string): LiveKey;
}

export async function openCloud(
  { cloudUrl, proxy, rateLimit }: OperatorOfCluster,
  signal: AbortSignal,
): Promise<LiveCloud> {
  const clients = new Map<string, CloudClient>();
  const keys = new Map<string, LiveKey>();
  return {
    open(key) {
      const known = keys.get(key);
      if (known) return known;
      const limiter = rateLimiter({ clock: systemClock, ...rateLimit });
      const client = cloudClient({
        baseUrl: cloudUrl,
        apiKey: key,
        proxy,
        limiter,
        userAgent: `managed-db/${version.version}`,
      });
      clients.set(key, client);
      const live: LiveKey = {
        getCredentialsInfo: memo(() => client.getCredentialsInfo({ signal })),
        project: once((id) => {
          const project = client.project(id);
          return {
            listVpcs: memo(() => project.listVpcs({ signal })),
            listServices: memo(() => project.listServices({ signal })),
            listPeerings: once((vpc) => project.listPeerings(vpc, { signal })),
            listReplicaSets: once((service) => project.listReplicaSets(service, { signal })),
          };
        }),
      };
      keys.set(key, live);
      return live;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...clients.values()].map((client) => client[Symbol.asyncDispose]()));
    },
  };
}

/** The same function, called once. */
function memo<R>(make: () => R): () => R {
  const made = once(make);
  return () => made(undefined);
}

/** The same function, called once for each argument. */
function once<A, R>(make: (argument: A) => R): (argument: A) => R {
  const known = new Map<A, R>();
  return (argument) => {
    const made = known.get(argument) ?? make(argument);
    known.set(argument, made);
    return made;
  };
}

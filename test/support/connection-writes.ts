import { refusing, type AskedWrite } from './refusing.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

/** A webhook in front of the Secrets of the tests' namespace. The ledger is not affected. */
export interface SecretWebhook {
  refuses: (write: AskedWrite) => boolean;
  code: number;
}

/** Starts a world with an operator whose writes of connection Secrets a webhook judges. `writes`: all of them so far. */
export async function secretWebhook(options: WorldOptions = {}): Promise<{
  readonly world: World;
  readonly webhook: SecretWebhook;
  readonly writes: readonly AskedWrite[];
}> {
  const world = await startWorld({ ...options, start: false });
  const webhook: SecretWebhook = { refuses: () => false, code: 403 };
  const writes: AskedWrite[] = [];
  const intercept = refusing((write) => {
    if (!write.path.includes(`/${world.namespace}/secrets`)) return undefined;
    writes.push(write);
    return webhook.refuses(write)
      ? {
          code: webhook.code,
          message: 'admission webhook "guard" denied the request: not this one',
        }
      : undefined;
  });
  await world.startedOperator({ intercept });
  return { world, webhook, writes };
}

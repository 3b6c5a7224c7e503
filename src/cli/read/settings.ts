import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { type Config, loadConfig } from '../../config/config.ts';
import { ownKey as readOwnKey } from '../../operator/own-key.ts';
import { settingsOf } from '../../operator/run-operator.ts';
import { apiKeyIn, secretsWithData } from '../../resources/connection-secret.ts';
import { resourceKey, type ResourceKey, type ResourceType } from '../../runtime/index.ts';
import type { OwnKeyWords } from '../../reconcile/credentials/accounts.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { CommandError } from '../error.ts';
import { isForbidden } from './permission.ts';

const container = z.object({
  name: z.string(),
  image: z.string().default(''),
  args: z.array(z.string()).default([]),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
});
const volume = z.object({
  name: z.string(),
  secret: z.object({ secretName: z.string() }).optional(),
});
const deployment = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({
    template: z.object({
      spec: z.object({ containers: z.array(container), volumes: z.array(volume).default([]) }),
    }),
  }),
});
type Deployment = z.infer<typeof deployment>;

const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  parse: (value) => deployment.parse(value),
};

export interface OperatorOfCluster extends ReturnType<typeof settingsOf> {
  readonly ownKey: string | undefined;
  /** Undefined if the operator has the same state, so that the words in status are right. */
  readonly ownKeyWords: OwnKeyWords | undefined;
  readonly proxy: Config['proxy'];
  /** Whether the user may not read Deployments: the settings are those of flags, variables and defaults. */
  readonly isDeploymentHidden: boolean;
}

export interface SettingsChoice {
  readonly cloudUrl?: string;
  /** `NAMESPACE/NAME` of a Secret with the key `apiKey`. */
  readonly credentials?: string;
  /** `NAMESPACE/NAME` of the operator's Deployment. */
  readonly operator?: string;
}

/**
 * The settings of this cluster's operator: from its Deployment, and from flags and MANAGED_DB_ variables, which take
 * precedence.
 * @throws {CommandError} without a URL of the cloud
 */
export async function operatorOf(
  cluster: ClusterReader,
  choice: SettingsChoice,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OperatorOfCluster> {
  const deploymentFound = await findDeployment(cluster, choice.operator);
  const isDeploymentHidden = deploymentFound === 'hidden';
  const found = deploymentFound === 'hidden' ? undefined : deploymentFound;
  const inPod = found ? (containerOf(found)?.args ?? []) : await ownArguments();
  const own =
    choice.cloudUrl === undefined
      ? environment
      : { ...environment, MANAGED_DB_CLOUD_URL: choice.cloudUrl };
  // The key file of the Pod is not here. An own variable wins over a flag of the Pod.
  const isOverridden = (arg: string) =>
    own[`MANAGED_DB_${arg.slice(2).split('=')[0]?.replaceAll('-', '_').toUpperCase()}`];
  const isOfPod = (arg: string) => found !== undefined && arg.startsWith('--api-key-file');
  const loaded = loadConfig(
    inPod.filter((arg) => !isOfPod(arg) && !isOverridden(arg)),
    own,
  );
  if (loaded.state !== 'loaded') {
    const why = found ? '' : isDeploymentHidden ? hiddenDeployments : noDeployment;
    throw new CommandError(
      `the settings of the operator cannot be read${why}${loaded.state === 'wrong' ? `\n${loaded.errors.join('\n')}` : ''}`,
    );
  }
  const { config } = loaded;
  const { key: ownKey, words: ownKeyWords } =
    (await keyOfUser(cluster, choice.credentials, config)) ??
    (await keyOfOperator(cluster, found, inPod));
  const settings = settingsOf(config);
  const isAllowed = inPod.length > 0 || settings.operatorCredentialsNamespaces.length > 0;
  return {
    ...settings,
    // Without a Deployment, all namespaces may use the key.
    operatorCredentialsNamespaces: isAllowed ? settings.operatorCredentialsNamespaces : ['*'],
    ownKey,
    ownKeyWords,
    proxy: config.proxy,
    isDeploymentHidden,
  };
}

const noDeployment =
  ', since no Deployment of the operator was found: set --cloud-url, or --operator NAMESPACE/NAME';
const hiddenDeployments =
  ', since you may not list Deployments in all namespaces: give --cloud-url, or --operator NAMESPACE/NAME';

interface FoundKey {
  readonly key: string | undefined;
  readonly words: OwnKeyWords | undefined;
}

const noKey = {
  problem: 'spec.credentialsRef is not set, and managed-db has no API key',
  remedy: 'set the variable MANAGED_DB_API_KEY, or give --credentials NAMESPACE/NAME',
};

/** The key that the user gives to the program; undefined if the user gives none. @throws {CommandError} */
async function keyOfUser(
  cluster: ClusterReader,
  credentials: string | undefined,
  config: Config,
): Promise<FoundKey | undefined> {
  const given = await keyIn(cluster, credentials);
  if (given !== undefined) {
    const rejected = `the key apiKey of Secret ${credentials}: put a valid key there, or correct --credentials`;
    return { key: given, words: { missing: noKey, rejected } };
  }
  const key = await readOwnKey(config);
  const variable =
    config.apiKeyFile === undefined ? 'MANAGED_DB_API_KEY' : 'MANAGED_DB_API_KEY_FILE';
  const rejected = `the key of your variable ${variable}: correct it`;
  return key === undefined ? undefined : { key, words: { missing: noKey, rejected } };
}

/** The key of the operator's Pod, if the operator has a key and the user may read it. */
async function keyOfOperator(
  cluster: ClusterReader,
  found: Deployment | undefined,
  args: readonly string[],
): Promise<FoundKey> {
  const key = found && (await keyOfPod(cluster, found, args));
  const isAsInStatus =
    key !== undefined || (found && !args.some((arg) => arg.startsWith('--api-key-file')));
  return {
    key,
    words: isAsInStatus ? undefined : { missing: noKey, rejected: '' },
  };
}

/** From the flag and the MANAGED_DB_ variables alone. @throws {CommandError} */
export async function localSettings(
  cloudUrl: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly config: Config; readonly ownKey: string | undefined }> {
  const given = cloudUrl === undefined ? {} : { MANAGED_DB_CLOUD_URL: cloudUrl };
  const loaded = loadConfig([], { ...environment, ...given });
  if (loaded.state !== 'loaded')
    throw new CommandError(loaded.state === 'wrong' ? loaded.errors.join('\n') : loaded.text);
  return { config: loaded.config, ownKey: await readOwnKey(loaded.config) };
}

/** Empty outside of the operator's container. */
async function ownArguments(): Promise<readonly string[]> {
  const words = (await readFile('/proc/1/cmdline', 'utf8').catch(() => '')).split('\0');
  const program = words.findIndex((word) => word.endsWith('dist/main.js'));
  return program < 0 ? [] : words.slice(program + 1).filter((word) => word.startsWith('--'));
}

/** Each Deployment and its image. @throws {KubernetesError} */
export async function operatorVersions(cluster: ClusterReader): Promise<readonly string[]> {
  const { items } = await cluster.list(deployments, operatorLabel);
  return items.map(
    (each) => `${each.metadata.namespace}/${each.metadata.name} ${containerOf(each)?.image ?? ''}`,
  );
}

const operatorLabel = { labelSelector: 'app.kubernetes.io/name=managed-db-operator' } as const;

async function findDeployment(
  cluster: ClusterReader,
  named: string | undefined,
): Promise<Deployment | 'hidden' | undefined> {
  if (named !== undefined) {
    const [namespace, name] = parts(named, '--operator');
    const there = await cluster.get(deployments, resourceKey(namespace, name));
    if (!there)
      throw new CommandError(
        `Deployment ${named}: not found; kubectl get deployments -A -l app.kubernetes.io/name=managed-db-operator`,
      );
    return there;
  }
  try {
    const { items } = await cluster.list(deployments, operatorLabel);
    const names = items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    if (items.length > 1)
      throw new CommandError(
        `several operators run here (${names.join(', ')}): choose with --operator NAMESPACE/NAME`,
      );
    return items[0];
  } catch (error) {
    // A user may have no right to see Deployments: then flags and variables must tell the settings.
    if (isForbidden(error)) return 'hidden';
    throw error;
  }
}

function containerOf({ spec }: Deployment) {
  const { containers } = spec.template.spec;
  return containers.find(({ name }) => name === 'operator') ?? containers[0];
}

/** The key in the Secret that the Deployment mounts for it. */
async function keyOfPod(
  cluster: ClusterReader,
  found: Deployment,
  args: readonly string[],
): Promise<string | undefined> {
  const file = args
    .find((arg) => arg.startsWith('--api-key-file='))
    ?.slice('--api-key-file='.length);
  const mount = containerOf(found)?.volumeMounts.find(({ mountPath }) =>
    file?.startsWith(`${mountPath}/`),
  );
  const secret = found.spec.template.spec.volumes.find(({ name }) => name === mount?.name)?.secret;
  if (!secret) return undefined;
  try {
    return await readKey(cluster, resourceKey(found.metadata.namespace, secret.secretName));
  } catch (error) {
    // Objects that need this key then say that it is missing.
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

async function keyIn(
  cluster: ClusterReader,
  named: string | undefined,
): Promise<string | undefined> {
  if (named === undefined) return undefined;
  const [namespace, name] = parts(named, '--credentials');
  const key = await readKey(cluster, resourceKey(namespace, name));
  if (key === undefined) throw new CommandError(await whyNoKey(cluster, namespace, name));
  return key;
}

/** Undefined without the Secret, or without a key in it that is text. @throws {KubernetesError} */
export async function readKey(
  cluster: Pick<ClusterReader, 'get'>,
  place: ResourceKey,
): Promise<string | undefined> {
  const secret = await cluster.get(secretsWithData, place);
  const key = secret && apiKeyIn(secret, 'apiKey');
  return key?.state === 'text' ? key.text : undefined;
}

/**
 * The problem of a Secret without a readable key: the Secret, its namespace or its key is missing. Who may not read
 * namespaces gets the same words for a missing Secret.
 * @throws {KubernetesError}
 */
export async function whyNoKey(
  cluster: Pick<ClusterReader, 'get'>,
  namespace: string,
  name: string,
): Promise<string> {
  const secret = await cluster.get(secretsWithData, resourceKey(namespace, name));
  if (secret) {
    const keys = `kubectl describe secret ${name} -n ${namespace} shows its keys`;
    return `Secret ${name} in namespace ${namespace}: has no key apiKey that is text (UTF-8); ${keys}`;
  }
  const advice = `kubectl get secrets -n ${namespace} shows the Secrets there`;
  return `Secret ${name}: not found in namespace ${namespace}, or there is no such namespace; ${advice}`;
}

function parts(text: string, flag: string): readonly [string, string] {
  const [namespace, name, ...more] = text.split('/');
  if (!namespace || !name || more.length > 0)
    throw new CommandError(`${flag}: "${text}": must be NAMESPACE/NAME`);
  return [namespace, name];
}

import { connectionAnnotations } from '../../resources/connection-secret.ts';
import { resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';

/** Complete commands to copy from a message. Only values with a blank need quotes. */

/** @param texts such as `managed-db.io/create-anyway=true`; a text that ends in `-` removes the annotation */
export function annotateCommand(object: ManagedObject, ...texts: readonly string[]): string {
  return `kubectl annotate --overwrite ${placeOf(object)} ${texts.join(' ')}`;
}

export function deleteCommand(object: ManagedObject): string {
  return `kubectl delete ${placeOf(object)}`;
}

/** @param status a JSON merge patch of the status. The command needs rights that only the operator and administrators have */
export function patchStatusCommand(object: ManagedObject, status: object): string {
  return `kubectl patch ${placeOf(object)} --subresource=status --type=merge -p '${JSON.stringify({ status })}'`;
}

/** For a Secret whose own id was changed. */
export function annotateSecretCommand({ metadata: { namespace } }: ManagedObject, secret: string, id: string): string {
  return `kubectl annotate --overwrite secret ${secret} -n ${namespace} ${connectionAnnotations.id}=${id}`;
}

/**
 * Takes away a Secret that is about another resource. It may have the only copy of its password, which is kept first, under a name that is free (Kubernetes takes 58 characters of it): one line, which
 * ends where a part fails. No process gets the password as an argument. The finalizer of the operator goes by itself then, and those of others stay theirs.
 */
export function setAsideCommand({ metadata: { namespace } }: ManagedObject, secret: string): string {
  const place = `${secret} -n ${namespace}`;
  const aside = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { generateName: `${secret.slice(0, 47)}-set-aside-` },
    data: { password: '%s' },
  };
  return allOf([
    `password=$(kubectl get secret ${place} -o jsonpath='{.data.password}')`,
    `printf '${JSON.stringify(aside)}' "$password" | kubectl create -n ${namespace} -f -`,
    `kubectl delete --wait=false secret ${place}`,
  ]);
}

/** One line, which ends where a part fails. */
export function allOf(commands: readonly string[]): string {
  return commands.join(' && ');
}

function placeOf({ kind, metadata: { name, namespace } }: ManagedObject): string {
  return `${resourceTypes[kind].plural} ${name} -n ${namespace}`;
}

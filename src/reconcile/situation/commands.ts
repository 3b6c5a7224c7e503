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

/** Takes away a Secret that is about another resource. It may have the only copy of its password, which is kept first: one line, which ends where a part fails. */
export function setAsideCommand({ metadata: { namespace } }: ManagedObject, secret: string): string {
  const place = `${secret} -n ${namespace}`;
  const aside = `${secret.slice(0, 240)}-set-aside`;
  return [
    `password=$(kubectl get secret ${place} -o go-template='{{with .data.password}}{{base64decode .}}{{end}}')`,
    `kubectl create secret generic ${aside} -n ${namespace} --from-literal=password="$password"`,
    `kubectl patch secret ${place} --type=merge -p '{"metadata":{"finalizers":null}}'`,
    `kubectl delete secret ${place} (Secret "${aside}" keeps the password that it had)`,
  ].join(' && ');
}

function placeOf({ kind, metadata: { name, namespace } }: ManagedObject): string {
  return `${resourceTypes[kind].plural} ${name} -n ${namespace}`;
}

import { kubectl } from '../control-plane/kubectl.ts';
import type { ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { until } from '../support/until.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly operations?: readonly string[];
}

/** An admission policy of a platform team: a check, or a change of each object. */
export interface PlatformPolicy {
  readonly rules: readonly Rule[];
  /** CEL, as in a ValidatingAdmissionPolicy, with its words. */
  readonly check?: { readonly expression: string; readonly message: string };
  /** As in a MutatingAdmissionPolicy. */
  readonly change?: object;
  /** CEL that selects the objects. */
  readonly condition?: string;
  /** An object that is refused or changed, to see the policy in force, in the first namespace. */
  readonly probe: object;
}

let made = 0;

/** Puts a policy into force in these namespaces. It is out of force again at the end of the scope. */
export async function enforce(
  handle: ControlPlaneHandle,
  namespaces: readonly string[],
  policy: PlatformPolicy,
): Promise<AsyncDisposable> {
  made += 1;
  const name = `platform-${made}`;
  const prefix = policy.check ? 'Validating' : 'Mutating';
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const resourceRules = policy.rules.map(({ operations = ['CREATE', 'UPDATE'], ...rule }) => ({
    ...rule,
    operations,
    apiVersions: ['*'],
  }));
  const effect = policy.check
    ? { validations: [policy.check] }
    : { mutations: [policy.change], reinvocationPolicy: 'IfNeeded' };
  const namespaceSelector = {
    matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces }],
  };
  const items = [
    {
      apiVersion,
      kind: `${prefix}AdmissionPolicy`,
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules, namespaceSelector },
        ...(policy.condition
          ? { matchConditions: [{ name: 'selected', expression: policy.condition }] }
          : {}),
        ...effect,
      },
    },
    {
      apiVersion,
      kind: `${prefix}AdmissionPolicyBinding`,
      metadata: { name },
      spec: { policyName: name, ...(policy.check ? { validationActions: ['Deny'] } : {}) },
    },
  ];
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const probed = async () => {
    const args = ['create', '--dry-run=server', '-o', 'json', '-n', namespaces[0] ?? '', '-f', '-'];
    const { stdout, code } = await kubectl(handle, args, { input: JSON.stringify(policy.probe) });
    // Each object of a dry run has another uid and another time.
    const shape = stdout.replaceAll(/"(?:uid|creationTimestamp|time)": "[^"]*"/gu, '');
    return `${code} ${shape}`;
  };
  const without = await probed();
  const { code, stderr } = await kubectl(handle, ['apply', '-f', '-'], { input });
  if (code !== 0) throw new Error(`the policy is wrong: ${stderr}`);
  await until('the policy to be in force', async () => (await probed()) !== without, probed);
  return {
    async [Symbol.asyncDispose]() {
      await kubectl(handle, ['delete', '-f', '-'], { input });
      await until('the policy to be gone', async () => (await probed()) === without, probed);
    },
  };
}

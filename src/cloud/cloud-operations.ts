import type { CallOptions, CloudApi, CloudOperation, ProjectApi } from './cloud-api.ts';
import { accountOperations, isOperation, operations, projectOperations } from './operations/all.ts';

/** Sends one request and reads its reply. The ids are in the order of the path. @throws {CloudError} */
export type Call = (operation: CloudOperation, ids: readonly string[], options?: CallOptions, body?: object) => Promise<unknown>;

type Method = (...args: readonly (string | object | undefined)[]) => Promise<unknown>;

export function cloudOperations(call: Call): CloudApi {
  // The type of each method is derived from its row. TypeScript cannot follow it through a list of rows.
  const { getCredentialsInfo } = methods(accountOperations, call) as Pick<CloudApi, 'getCredentialsInfo'>;
  return { getCredentialsInfo, project: (projectId) => methods(projectOperations, call, projectId) as ProjectApi };
}

/** A method for each row. It takes the ids that are not `bound`, the body if there is one, and the options of the call. */
function methods(rows: object, call: Call, ...bound: readonly string[]): object {
  const made = Object.keys(rows)
    .filter(isOperation)
    .map((operation): [string, Method] => [
      operation,
      (...args) => {
        const ids = args.filter((arg) => typeof arg === 'string');
        const objects = args.filter((arg) => typeof arg === 'object');
        const [body, options] = operations[operation].request ? objects : [undefined, ...objects];
        return call(operation, [...bound, ...ids], options, body);
      },
    ]);
  return Object.fromEntries(made);
}

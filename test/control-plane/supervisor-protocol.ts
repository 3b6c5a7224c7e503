/** The requests to a supervisor; a report with the same `id` answers each request. */
export type SupervisorRequest =
  | {
      readonly kind: 'start';
      readonly id: number;
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
    }
  | { readonly kind: 'end'; readonly id: number; readonly name: string };

/** `folder` comes first and once; `ended` whenever a server ends, asked to or not. */
export type SupervisorReport =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'ended'; readonly name: string };

/** Where a server's output goes, in the supervisor's folder. */
export function logFile(name: string): string {
  return `${name}.log`;
}

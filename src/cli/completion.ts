/** The shells with a completion script; `kubectl` for `kubectl managed-db`. */
export const shells = ['bash', 'zsh', 'fish', 'kubectl'] as const;
export type Shell = (typeof shells)[number];

/** @throws {Error} for another word, which the command line reports */
export function shellNamed(word: string): Shell {
  const shell = shells.find((each) => each === word);
  if (!shell) throw new Error(`must be ${shells.join(', ')}`);
  return shell;
}

/** Each script asks `managed-db __complete` for the words that may follow. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `# source <(managed-db completion bash)
_managed_db() {
  local IFS=$'\\n'
  COMPREPLY=($(managed-db __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _managed_db managed-db
`,
  zsh: `#compdef managed-db
# source <(managed-db completion zsh)
_managed_db() {
  local -a lines
  lines=("\${(@f)$(managed-db __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- \${lines%%$'\\t'*}
}
compdef _managed_db managed-db
`,
  fish: `# managed-db completion fish | source
complete -c managed-db -f -a '(managed-db __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
  kubectl: `#!/bin/sh
# managed-db completion kubectl > kubectl_complete-managed_db, in a folder of PATH, executable
kubectl-managed_db __complete "$@" 2>/dev/null
echo :4
`,
};

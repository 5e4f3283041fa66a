import type { Call, Command, Output } from "../command.ts";
import { Failure } from "../failure.ts";

/** Each asks the program for what can follow the words before the cursor: `sluice complete <words>`. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_sluice() {
  local IFS=$'\\n'
  COMPREPLY=($(sluice complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _sluice sluice`,
  zsh: `#compdef sluice
_sluice() {
  local -a found
  found=("\${(@f)$(sluice complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- \${found:#}
}
compdef _sluice sluice`,
  fish: `function __sluice_complete
  set -l before (commandline -opc)
  sluice complete $before[2..-1] (commandline -ct | string collect -N -a) 2>/dev/null
end
complete -c sluice -f -a '(__sluice_complete)'`,
};

export const shells = Object.keys(scripts);

async function print({ words: [shell = ""] }: Call): Promise<Output> {
  const script = scripts[shell];
  if (script === undefined) {
    throw new Failure("usage", `Choose a shell: ${shells.join(", ")}`);
  }
  return { json: { shell, script }, text: script };
}

export const completionCommand: Command = {
  name: "completion",
  words: ["<shell>"],
  text: `Prints a script that completes commands: ${shells.join(", ")}.`,
  run: print,
};

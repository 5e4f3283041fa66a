/** Reads the flags of the program; each one has an environment variable as an alternative. */
import { parseArgs } from "node:util";
import { authStyles } from "./script/incoming-request.ts";
import { describeCommands } from "./script/message-commands.ts";
import type { SandboxOptions } from "./server.ts";

export type CommandLine =
  | { readonly kind: "run"; readonly options: SandboxOptions; readonly exitsWithParent: boolean }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "mistake"; readonly text: string };

type Environment = { readonly [name: string]: string | undefined };

const paceMsDefault = "15";
const acceptable = [...authStyles, "none"] as const;

const help = `Sandbox provider: answers in the formats of providers and says that it is a sandbox.

  --host ADDRESS       where to listen                     SANDBOX_HOST  127.0.0.1
  --port NUMBER        0 takes a free port                 SANDBOX_PORT  0
  --key KEY            the only API key to accept          SANDBOX_KEY   any key
  --auth STYLES        how the key may be sent             SANDBOX_AUTH  as usual
                       ${acceptable.join(", ")}
  --pace MS            pause between chunks of a stream    SANDBOX_PACE  ${paceMsDefault}
  --scriptable         take scripts at /sandbox/script     SANDBOX_SCRIPTABLE=1
  --counts-only        keep no requests, only totals       SANDBOX_COUNTS_ONLY=1
  --exit-with-parent   stop when stdin is closed
  --help

A user message can ask for a fault:
${describeCommands()}`;

const flags = {
  host: { type: "string" },
  port: { type: "string" },
  key: { type: "string" },
  auth: { type: "string" },
  pace: { type: "string" },
  scriptable: { type: "boolean" },
  "counts-only": { type: "boolean" },
  "exit-with-parent": { type: "boolean" },
  help: { type: "boolean" },
} as const;

/** What to do, or a sentence that says what is wrong with the flags. */
export function readCommandLine(args: readonly string[], environment: Environment): CommandLine {
  let values: Flags;
  try {
    values = parseFlags(args);
  } catch (error) {
    return { kind: "mistake", text: `${error instanceof Error ? error.message : String(error)}\n\n${help}` };
  }
  return values.help === true ? { kind: "help", text: help } : readOptions(values, environment);
}

function readOptions(values: Flags, environment: Environment): CommandLine {
  const port = Number(values.port ?? environment["SANDBOX_PORT"] ?? "0");
  const paceMs = Number(values.pace ?? environment["SANDBOX_PACE"] ?? paceMsDefault);
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    return { kind: "mistake", text: "--port must be a whole number from 0 to 65535." };
  }
  if (!(paceMs >= 0 && Number.isFinite(paceMs))) {
    return { kind: "mistake", text: "--pace must be a number of milliseconds." };
  }
  const styles = (values.auth ?? environment["SANDBOX_AUTH"] ?? "").split(",").filter((style) => style !== "");
  if (!styles.every(isAcceptable)) {
    return { kind: "mistake", text: `--auth must be a list of ${acceptable.join(", ")}.` };
  }
  const requiredKey = values.key ?? environment["SANDBOX_KEY"] ?? "";
  const options: SandboxOptions = {
    hostname: values.host ?? environment["SANDBOX_HOST"] ?? "127.0.0.1",
    port,
    defaults: { chunkDelayMs: paceMs },
    ...(requiredKey === "" ? {} : { requiredKey }),
    ...(styles.length === 0 ? {} : { authStyles: styles }),
    isScriptable: values.scriptable ?? environment["SANDBOX_SCRIPTABLE"] === "1",
    keepsRecords: !(values["counts-only"] ?? environment["SANDBOX_COUNTS_ONLY"] === "1"),
  };
  return { kind: "run", options, exitsWithParent: values["exit-with-parent"] === true };
}

function isAcceptable(style: string): style is (typeof acceptable)[number] {
  return acceptable.some((name) => name === style);
}

type Flags = ReturnType<typeof parseFlags>;

function parseFlags(args: readonly string[]) {
  return parseArgs({ args: [...args], options: flags, strict: true }).values;
}

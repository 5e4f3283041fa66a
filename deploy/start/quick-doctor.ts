import { formatDuration } from "./progress.ts";
import { commandLine } from "./service-root.ts";

const examinationMsMax = 15_000;

type Finding = { readonly level: string; readonly area: string; readonly text: string; readonly cure: string };

type Examination = {
  /** The command of the doctor. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

/** What the doctor found, for people: nothing that is in order. */
export type Diagnosis = { readonly problems: readonly string[]; readonly warnings: readonly string[] };

/**
 * Runs the part of `doctor` that asks no servers but the database.
 * @returns a sentence instead if it did not come to an end
 */
export async function examineQuickly({ command, cwd, env, signal }: Examination): Promise<Diagnosis | string> {
  const late = AbortSignal.timeout(examinationMsMax);
  const child = Bun.spawn([process.execPath, ...command, "--quick", "--json"], {
    ...{ cwd, env, detached: true, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    signal: AbortSignal.any([signal, late]),
    killSignal: "SIGKILL",
  });
  const [out, said] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (late.aborted) {
    return `did not end within ${formatDuration(examinationMsMax)}`;
  }
  const findings = readFindings(out);
  if (findings === null) {
    return `failed: ${said.trim().split("\n").at(-1) ?? ""}`;
  }
  const linesOf = (level: string): string[] =>
    findings.filter((each) => each.level === level).map(({ area, text, cure }) => `${area}: ${text} ${cure}`);
  return { problems: linesOf("problem"), warnings: linesOf("warning") };
}

function readFindings(out: string): readonly Finding[] | null {
  try {
    return (JSON.parse(out) as { readonly findings: readonly Finding[] }).findings;
  } catch {
    return null;
  }
}

/** What the start says of it, each with its title. */
export function startLines(diagnosis: Diagnosis | string): string[] {
  const doctor = commandLine("doctor");
  if (typeof diagnosis === "string") {
    return [`the quick examination ${diagnosis}; run it by itself: ${doctor}`];
  }
  const { problems, warnings } = diagnosis;
  const found = [...problems.map((line) => `PROBLEM, ${line}`), ...warnings.map((line) => `warning, ${line}`)];
  const rest = `${doctor} also tries channels and the public address`;
  return found.length === 0 ? [`nothing found; ${rest}`] : [...found, rest];
}

/** What a person who could not start the service reads below the reason: the problems that may have caused it. */
export function causeText(diagnosis: Diagnosis | string): string {
  const doctor = commandLine("doctor");
  const problems = typeof diagnosis === "string" ? [] : diagnosis.problems;
  return problems.length === 0
    ? `\nFor everything that the service needs, run: ${doctor}\n`
    : `\nWhat ${doctor} finds:\n${problems.map((line) => `  ${line}\n`).join("")}`;
}

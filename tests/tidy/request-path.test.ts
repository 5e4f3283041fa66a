import { describe, expect, test } from "bun:test";
import { resolveImport } from "./boundary-check.ts";
import { parseSource } from "./source.ts";
import { readCode, type SourceFile } from "./tree.ts";

const gateway = "control-plane/src/gateway/";
const pipelinePath = `${gateway}pipeline.ts`;
/** Parts of the pipeline in separate files, with the only stages that each calls. */
const parts: ReadonlyMap<string, readonly string[]> = new Map([
  // The channels for a call.
  [`${gateway}choose-channels.ts`, [`${gateway}admit/`, `${gateway}dispatch/`]],
  // The attempt loop, which calls and sessions share.
  [`${gateway}attempt-channels.ts`, [`${gateway}dispatch/`, `${gateway}respond/`]],
  // Where a call is tried next, for this loop.
  [`${gateway}attempt-plan.ts`, [`${gateway}dispatch/`]],
  // Another model is admitted and priced as the first one was.
  [`${gateway}model-fallbacks.ts`, [`${gateway}admit/`, `${gateway}respond/`, `${gateway}settle/`]],
  // Where a body is parsed depends on its size.
  [`${gateway}parse-body.ts`, [`${gateway}admit/`]],
  // One attempt at one channel, from its request to its settlement.
  [`${gateway}call-attempt.ts`, [`${gateway}dispatch/`, `${gateway}respond/`, `${gateway}settle/`]],
  // The rest of it for a response that comes whole.
  [`${gateway}whole-answer.ts`, [`${gateway}dispatch/`, `${gateway}respond/`, `${gateway}settle/`]],
  // What it said of its outcome, and what it has used.
  [`${gateway}attempt-outcomes.ts`, [`${gateway}respond/`]],
  [`${gateway}attempt-usage.ts`, [`${gateway}admit/`, `${gateway}settle/`]],
  // A call that may be answered without a provider.
  [`${gateway}cached-call.ts`, [`${gateway}respond/`]],
  // A call ends in several branches of the pipeline, but in one way.
  [`${gateway}call-ender.ts`, [`${gateway}settle/`]],
]);

/**
 * The stages of a call and their steps, in the order in which they run. The names were picked so that the alphabet is
 * the clock: `ls -R` prints the path of a call. A new step takes its place here and in pipeline.ts.
 * A step that grows too long for one file gets a folder of its name for its parts, which nobody else imports.
 */
const path = {
  admit: ["authenticate-key", "check-access", "parse-request", "read-labels", "reserve-quota"],
  dispatch: [
    "allow-exit-nodes",
    "allow-pass-through",
    "bound-silence",
    "choose-channel",
    "compose-request",
    "forward",
    "name-conversation",
    "retry-policy",
    "usage-option",
  ],
  respond: [
    "classify-status",
    "compose-answer",
    "read-upstream-error",
    "stream-events",
    "translate-ending",
    "write-error",
  ],
  settle: ["measure-usage", "price-usage", "record-usage", "settle-quota"],
};

/** Sessions take the same steps, apart from those that read a body or a response. */
const isOfSession = (file: SourceFile): boolean => file.path.startsWith(`${gateway}realtime/`);

const stepPaths = Object.entries(path).flatMap(([stage, steps]) =>
  steps.map((step) => `${gateway}${stage}/${step}.ts`),
);

const isInStage = (filePath: string): boolean =>
  Object.keys(path).some((stage) => filePath.startsWith(`${gateway}${stage}/`));

function importedPaths(file: SourceFile): { to: string; isTypeOnly: boolean; line: number }[] {
  return parseSource(file).imports.flatMap(({ specifier, isTypeOnly, line }) => {
    const target = resolveImport(file.path, specifier);
    return typeof target === "string" || !target.isPath ? [] : [{ to: target.to, isTypeOnly, line }];
  });
}

/**
 * The step that a file in a stage belongs to: the step itself, or a part of it in the folder that bears its name. Null
 * for a file that is not part of the path.
 */
function stepOf(filePath: string): string | null {
  return stepPaths.find((step) => filePath === step || filePath.startsWith(`${step.slice(0, -".ts".length)}/`)) ?? null;
}

/** Why a step is not a leaf: it imports another step, parts of another step, or the pipeline that calls it. */
function findStepViolations(file: SourceFile): string[] {
  const step = stepOf(file.path);
  const violations = step === null ? [`${file.path}: neither a step of the path nor in the folder of one`] : [];
  for (const { to, line } of importedPaths(file)) {
    const isAbove = to === pipelinePath || parts.has(to) || (to === step && to !== file.path);
    if (isAbove || (isInStage(to) && (stepOf(to) === null || stepOf(to) !== step))) {
      violations.push(`${file.path}:${line} -> ${to}: a step knows no other step; shared types are in model.ts`);
    }
  }
  return violations;
}

const usedBy = (caller: SourceFile): string[] =>
  importedPaths(caller)
    .filter(({ isTypeOnly }) => !isTypeOnly)
    .map(({ to }) => to);

/** Whether the pipeline, or a part of it, imports nothing of the stages but steps, and these in the order of the path. */
function findCallerViolations(caller: SourceFile): string[] {
  const used = [...new Set(usedBy(caller).filter(isInStage))];
  const known = used.filter((to) => stepPaths.includes(to));
  const violations = used
    .filter((to) => !known.includes(to))
    .map((to) => `${caller.path} -> ${to}: no step; only its step knows a part`);
  const inOrder = stepPaths.filter((step) => known.includes(step));
  if (known.join() !== inOrder.join()) {
    const names = inOrder.map((step) => step.slice(gateway.length, -".ts".length));
    violations.push(`${caller.path}: imports its steps out of order; the path is ${names.join(", ")}`);
  }
  const own = parts.get(caller.path);
  const strays = own === undefined ? [] : known.filter((to) => !own.some((stage) => to.startsWith(stage)));
  return [...violations, ...strays.map((to) => `${caller.path} -> ${to}: only the pipeline calls this stage`)];
}

/**
 * Every violation of the rule of the request path. Without a pipeline only the steps are checked; a missing step is
 * allowed.
 */
function findViolations(files: readonly SourceFile[]): string[] {
  const steps = files.filter((file) => isInStage(file.path));
  const violations = steps.flatMap(findStepViolations);
  const pipeline = files.find((file) => file.path === pipelinePath);
  if (pipeline === undefined) {
    return violations;
  }
  const callers = [pipeline];
  // Parts may have parts of their own.
  for (const caller of callers) {
    const used = new Set(usedBy(caller));
    callers.push(...files.filter((file) => parts.has(file.path) && used.has(file.path) && !callers.includes(file)));
  }
  const usedByAny = callers.flatMap(usedBy);
  const unused = steps.filter((step) => stepPaths.includes(step.path) && !usedByAny.includes(step.path));
  return [
    ...violations,
    ...unused.map((step) => `${pipelinePath}: does not import ${step.path}`),
    ...[...callers, ...files.filter(isOfSession)].flatMap(findCallerViolations),
  ];
}

describe("the path of a call", () => {
  test("matches the gateway's folders and the pipeline's imports", () => {
    expect(findViolations(readCode())).toEqual([]);
  });

  test("reads in alphabetical order", () => {
    expect(stepPaths).toEqual(stepPaths.toSorted());
  });
});

import { describe, expect, test } from "bun:test";
import { resolveImport } from "./boundary-check.ts";
import { beyondKnown } from "./ratchet.ts";
import { parseSource } from "./source.ts";
import { readCode, type SourceFile } from "./tree.ts";

const gateway = "control-plane/src/gateway/";
const pipelinePath = `${gateway}pipeline.ts`;
/** Parts of the pipeline that have files of their own, with the only stages that each calls. */
const parts: ReadonlyMap<string, readonly string[]> = new Map([
  // The attempt loop, which calls and sessions share.
  [`${gateway}attempt-channels.ts`, [`${gateway}dispatch/`, `${gateway}respond/`]],
  // Where a body is parsed depends on its size.
  [`${gateway}parse-body.ts`, [`${gateway}admit/`]],
  // A call ends in several branches of the pipeline, but in one way.
  [`${gateway}call-ender.ts`, [`${gateway}settle/`]],
]);

/**
 * The stages of a call and their steps, in the order in which they run. The names were picked so that the alphabet is
 * the clock: `ls -R` prints the path of a call. A new step takes its place here and in pipeline.ts.
 * A step that grows too long for one file gets a folder of its name for its parts, which nobody else imports.
 */
const path = {
  admit: ["authenticate-key", "check-access", "parse-request", "reserve-quota"],
  dispatch: [
    "allow-exit-nodes",
    "allow-pass-through",
    "bound-silence",
    "choose-channel",
    "compose-request",
    "forward",
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

/** Sessions take the same steps, apart from those that read a body or an answer. */
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
 * The step that a file in a stage belongs to: the step itself, or a part of it in the folder that bears its name.
 * Null for a file that has no place in the path.
 */
function stepOf(filePath: string): string | null {
  return stepPaths.find((step) => filePath === step || filePath.startsWith(`${step.slice(0, -".ts".length)}/`)) ?? null;
}

/** What keeps a step from being a leaf: it knows another step, parts of another step, or the pipeline that calls it. */
function findStepViolations(file: SourceFile): string[] {
  const step = stepOf(file.path);
  const violations = step === null ? [`${file.path}: neither a step of the path nor in the folder of one`] : [];
  for (const { to, line } of importedPaths(file)) {
    const isAbove = to === pipelinePath || parts.has(to) || (to === step && to !== file.path);
    if (isAbove || (isInStage(to) && (stepOf(to) === null || stepOf(to) !== step))) {
      violations.push(`${file.path}:${line} -> ${to}: a step knows no other step; shared types stand in model.ts`);
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

/** Every break of the rule of the request path. Without a pipeline only the steps are judged; a missing step is borne. */
function findViolations(files: readonly SourceFile[]): string[] {
  const steps = files.filter((file) => isInStage(file.path));
  const violations = steps.flatMap(findStepViolations);
  const pipeline = files.find((file) => file.path === pipelinePath);
  if (pipeline === undefined) {
    return violations;
  }
  const used = new Set(usedBy(pipeline));
  const callers = [pipeline, ...files.filter((file) => parts.has(file.path) && used.has(file.path))];
  const usedByAny = callers.flatMap(usedBy);
  const unused = steps.filter((step) => stepPaths.includes(step.path) && !usedByAny.includes(step.path));
  return [
    ...violations,
    ...unused.map((step) => `${pipelinePath}: does not import ${step.path}`),
    ...[...callers, ...files.filter(isOfSession)].flatMap(findCallerViolations),
  ];
}

const invented = (files: Record<string, string>): SourceFile[] =>
  Object.entries(files).map(([name, text]) => ({ path: gateway + name, text }));

const importOf = (...steps: string[]): string =>
  steps.map((step) => `import { run } from "${step.startsWith("../") ? "" : "./"}${step}.ts";`).join("\n");

/** Breaks that wait to be mended; the list may only shrink. */
const known: string[] = [];

describe("the path of a call", () => {
  test("is what the folders of the gateway and the imports of the pipeline say", () => {
    expect(beyondKnown(findViolations(readCode()), known)).toEqual([]);
  });

  test("reads in alphabetical order", () => {
    expect(stepPaths).toEqual(stepPaths.toSorted());
  });
});

describe("a break of the path is seen", () => {
  test("when the pipeline leaves a step out", () => {
    const files = invented({
      "pipeline.ts": importOf("admit/authenticate-key"),
      "admit/authenticate-key.ts": "",
      "admit/check-access.ts": "",
    });
    expect(findViolations(files)).toEqual([
      "control-plane/src/gateway/pipeline.ts: does not import control-plane/src/gateway/admit/check-access.ts",
    ]);
  });

  test("when the pipeline imports only the types of a step", () => {
    const files = invented({
      "pipeline.ts": 'import type { Forward } from "./dispatch/forward.ts";',
      "dispatch/forward.ts": "",
    });
    expect(findViolations(files)).toEqual([expect.stringMatching(/does not import/)]);
  });

  test("when the pipeline imports the steps out of order", () => {
    const files = invented({
      "pipeline.ts": importOf("dispatch/forward", "dispatch/choose-channel"),
      "dispatch/choose-channel.ts": "",
      "dispatch/forward.ts": "",
    });
    expect(findViolations(files)).toEqual([
      expect.stringMatching(/out of order; the path is dispatch\/choose-channel, dispatch\/forward$/),
    ]);
  });

  test("when the attempt loop calls a stage that is not its own", () => {
    const files = invented({
      "pipeline.ts": 'import { attemptChannels } from "./attempt-channels.ts";',
      "attempt-channels.ts": importOf("dispatch/choose-channel", "settle/settle-quota"),
      "dispatch/choose-channel.ts": "",
      "settle/settle-quota.ts": "",
    });
    expect(findViolations(files)).toEqual([expect.stringMatching(/settle-quota\.ts: only the pipeline calls/)]);
  });

  test("when the end of a call calls a stage that is not its own", () => {
    const files = invented({
      "pipeline.ts": 'import { CallEnder } from "./call-ender.ts";',
      "call-ender.ts": importOf("admit/reserve-quota", "settle/settle-quota"),
      "admit/reserve-quota.ts": "",
      "settle/settle-quota.ts": "",
    });
    expect(findViolations(files)).toEqual([expect.stringMatching(/reserve-quota\.ts: only the pipeline calls/)]);
  });

  test("when a part calls steps but the pipeline does not call it", () => {
    const files = invented({
      "pipeline.ts": 'import type { CallEnder } from "./call-ender.ts";',
      "call-ender.ts": importOf("settle/settle-quota"),
      "settle/settle-quota.ts": "",
    });
    expect(findViolations(files)).toEqual([expect.stringMatching(/does not import .*settle-quota/)]);
  });

  test("when a session imports steps out of order, or a part of one", () => {
    const files = invented({
      "pipeline.ts": importOf("dispatch/choose-channel", "dispatch/forward"),
      "dispatch/choose-channel.ts": "",
      "dispatch/forward.ts": "",
      "dispatch/forward/part.ts": "",
      "realtime/gateway.ts": importOf("../dispatch/forward", "../dispatch/choose-channel", "../dispatch/forward/part"),
    });
    expect(findViolations(files)).toEqual([
      expect.stringMatching(/realtime\/gateway\.ts -> .*only its step knows a part/),
      expect.stringMatching(/realtime\/gateway\.ts: imports its steps out of order/),
    ]);
  });

  test("when a part imports its steps out of order", () => {
    const files = invented({
      "pipeline.ts": 'import { CallEnder } from "./call-ender.ts";',
      "call-ender.ts": importOf("settle/settle-quota", "settle/price-usage"),
      "settle/price-usage.ts": "",
      "settle/settle-quota.ts": "",
    });
    expect(findViolations(files)).toEqual([expect.stringMatching(/call-ender\.ts: imports its steps out of order/)]);
  });

  test.each([
    ["another step of its stage", "./check-access.ts"],
    ["a step of another stage", "../settle/settle-quota.ts"],
    ["the pipeline", "../pipeline.ts"],
    ["the attempt loop", "../attempt-channels.ts"],
    ["the end of a call", "../call-ender.ts"],
  ])("when a step imports %s", (_what, specifier) => {
    const files = invented({ "admit/authenticate-key.ts": `import type { A } from "${specifier}";` });
    expect(findViolations(files)).toEqual([expect.stringMatching(/knows no other step/)]);
  });

  test("when a file in a stage is not a step of the path", () => {
    const files = invented({ "admit/guess-price.ts": "", "admit/pieces/scan-json.ts": "" });
    expect(findViolations(files)).toEqual([
      expect.stringMatching(/neither a step/),
      expect.stringMatching(/neither a step/),
    ]);
  });

  test.each([
    ["another step", "admit/check-access.ts", "./parse-request/scan-json.ts"],
    ["a part of another step", "dispatch/forward/read-head.ts", "../../admit/parse-request/scan-json.ts"],
    ["the pipeline", "pipeline.ts", "./admit/parse-request/scan-json.ts"],
  ])("when %s imports a part of a step", (_who, importer, specifier) => {
    const files = invented({ [importer]: `import { a } from "${specifier}";`, "admit/parse-request/scan-json.ts": "" });
    expect(findViolations(files)).toEqual([expect.stringMatching(/knows no other step|only its step knows a part/)]);
  });

  test("when a part imports its step", () => {
    const files = invented({ "admit/parse-request/scan-json.ts": 'import { a } from "../parse-request.ts";' });
    expect(findViolations(files)).toEqual([expect.stringMatching(/knows no other step/)]);
  });
});

test("a step may have parts in the folder that bears its name", () => {
  const files = invented({
    "pipeline.ts": importOf("admit/parse-request"),
    "admit/parse-request.ts": 'import { scanJson } from "./parse-request/scan-json.ts";',
    "admit/parse-request/scan-json.ts": 'import { limits } from "./limits.ts";',
    "admit/parse-request/limits.ts": "",
  });
  expect(findViolations(files)).toEqual([]);
});

test("the last stage may be called from the end of a call", () => {
  const files = invented({
    "pipeline.ts": `import { CallEnder } from "./call-ender.ts";\n${importOf("settle/measure-usage")}`,
    "call-ender.ts": importOf("settle/measure-usage", "settle/settle-quota"),
    "settle/measure-usage.ts": "",
    "settle/settle-quota.ts": "",
  });
  expect(findViolations(files)).toEqual([]);
});

test("a path that is only partly built is in order", () => {
  const files = invented({
    "pipeline.ts": `import type { Call } from "./model.ts";\n${importOf("admit/authenticate-key", "settle/settle-quota")}`,
    "admit/authenticate-key.ts": 'import type { KeyReader } from "../keys/model.ts"; import "../model.ts";',
    "settle/settle-quota.ts": 'import { clock } from "../../platform/clock.ts";',
  });
  expect(findViolations(files)).toEqual([]);
  expect(findViolations(invented({ "dispatch/forward.ts": "" }))).toEqual([]);
});

import { describe, expect, test } from "bun:test";
import { resolveImport } from "./boundary-check.ts";
import { beyondKnown } from "./ratchet.ts";
import { parseSource } from "./source.ts";
import { readCode, type SourceFile } from "./tree.ts";

const gateway = "control-plane/src/gateway/";
const pipelinePath = `${gateway}pipeline.ts`;

/**
 * The stages of a call and their steps, in the order in which they run. The names were picked so that the alphabet is
 * the clock: `ls -R` prints the path of a call. A new step takes its place here and in pipeline.ts.
 * A step that grows too long for one file gets a folder of its name for its parts, which nobody else imports.
 */
const path = {
  admit: ["authenticate-key", "check-access", "parse-request", "reserve-quota"],
  dispatch: ["choose-channel", "compose-request", "forward", "retry-policy"],
  respond: ["classify-status", "stream-events", "write-error"],
  settle: ["measure-usage", "price-usage", "record-usage", "settle-quota"],
};

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
    const isAbove = to === pipelinePath || (to === step && to !== file.path);
    if (isAbove || (isInStage(to) && (stepOf(to) === null || stepOf(to) !== step))) {
      violations.push(`${file.path}:${line} -> ${to}: a step knows no other step; shared types stand in model.ts`);
    }
  }
  return violations;
}

/** Whether the pipeline calls every step that exists, in the order of the path. Steps that do not exist yet are left out. */
function findPipelineViolations(pipeline: SourceFile, steps: readonly SourceFile[]): string[] {
  const imports = importedPaths(pipeline).filter(({ isTypeOnly }) => !isTypeOnly);
  const used = imports.map(({ to }) => to).filter((to) => isInStage(to));
  const present = steps.map((step) => step.path).filter((step) => stepPaths.includes(step));
  const violations = [
    ...present.filter((step) => !used.includes(step)).map((step) => `${pipelinePath}: does not import ${step}`),
    ...used
      .filter((to) => !stepPaths.includes(to))
      .map((to) => `${pipelinePath} -> ${to}: no step; only its step knows a part`),
  ];
  const inOrder = stepPaths.filter((step) => used.includes(step));
  const known = [...new Set(used)].filter((step) => stepPaths.includes(step));
  if (known.join() !== inOrder.join()) {
    const names = inOrder.map((step) => step.slice(gateway.length, -".ts".length));
    violations.push(`${pipelinePath}: imports its steps out of order; the path is ${names.join(", ")}`);
  }
  return violations;
}

/** Every break of the rule of the request path. Without a pipeline only the steps are judged. */
function findViolations(files: readonly SourceFile[]): string[] {
  const steps = files.filter((file) => isInStage(file.path));
  const pipeline = files.find((file) => file.path === pipelinePath);
  return [...steps.flatMap(findStepViolations), ...(pipeline ? findPipelineViolations(pipeline, steps) : [])];
}

const invented = (files: Record<string, string>): SourceFile[] =>
  Object.entries(files).map(([name, text]) => ({ path: gateway + name, text }));

const importOf = (...steps: string[]): string => steps.map((step) => `import { run } from "./${step}.ts";`).join("\n");

/** Breaks that wait to be mended; the list may only shrink. Paths below the gateway. */
const known = [
  // Parts of one step: they belong into the folder admit/parse-request.
  "admit/check-messages.ts",
  "admit/read-multipart.ts",
  "admit/scan-json.ts",
  "admit/parse-request.ts -> admit/check-messages.ts",
  "admit/parse-request.ts -> admit/read-multipart.ts",
  "admit/parse-request.ts -> admit/scan-json.ts",
  // What a call costs is a rule of prices/, which the steps that bound, record and settle it can all use.
  "admit/reserve-quota.ts -> settle/price-usage.ts",
  "settle/record-usage.ts -> settle/price-usage.ts",
  "settle/settle-quota.ts -> settle/price-usage.ts",
  // The type of a failed attempt belongs into model.ts, and it is the pipeline that has an attempt classified.
  "dispatch/forward.ts -> respond/classify-status.ts",
  "dispatch/retry-policy.ts -> respond/classify-status.ts",
].map((entry) => entry.replace(/\S+\.ts/g, (file) => gateway + file));

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

  test.each([
    ["another step of its stage", "./check-access.ts"],
    ["a step of another stage", "../settle/settle-quota.ts"],
    ["the pipeline", "../pipeline.ts"],
  ])("when a step imports %s", (_what, specifier) => {
    const files = invented({ "admit/authenticate-key.ts": `import type { A } from "${specifier}";` });
    expect(findViolations(files)).toEqual([expect.stringMatching(/knows no other step/)]);
  });

  test("when a file in a stage is no step of the path", () => {
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

test("a path that is only partly built is in order", () => {
  const files = invented({
    "pipeline.ts": `import type { Call } from "./model.ts";\n${importOf("admit/authenticate-key", "settle/settle-quota")}`,
    "admit/authenticate-key.ts": 'import type { KeyReader } from "../keys/model.ts"; import "../model.ts";',
    "settle/settle-quota.ts": 'import { clock } from "../../platform/clock.ts";',
  });
  expect(findViolations(files)).toEqual([]);
  expect(findViolations(invented({ "dispatch/forward.ts": "" }))).toEqual([]);
});

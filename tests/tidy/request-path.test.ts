import { describe, expect, test } from "bun:test";
import { resolveImport } from "./boundary-check.ts";
import { parseSource } from "./source.ts";
import { readCode, type SourceFile } from "./tree.ts";

const gateway = "control-plane/src/gateway/";
const pipelinePath = `${gateway}pipeline.ts`;

/**
 * The stages of a call and their steps, in the order in which they run. The names were picked so that the alphabet is
 * the clock: `ls -R` prints the path of a call. A new step takes its place here and in pipeline.ts.
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

/** What keeps a step from being a leaf: it knows another step, or the pipeline that calls it. */
function findStepViolations(step: SourceFile): string[] {
  const violations = stepPaths.includes(step.path) ? [] : [`${step.path}: no step of the path, add it in its place`];
  for (const { to, line } of importedPaths(step)) {
    if (to === pipelinePath || isInStage(to)) {
      violations.push(`${step.path}:${line} -> ${to}: a step knows no other step; shared types stand in model.ts`);
    }
  }
  return violations;
}

/** Whether the pipeline calls every step that exists, in the order of the path. Steps that do not exist yet are left out. */
function findPipelineViolations(pipeline: SourceFile, steps: readonly SourceFile[]): string[] {
  const imports = importedPaths(pipeline).filter(({ isTypeOnly }) => !isTypeOnly);
  const used = imports.map(({ to }) => to).filter((to) => isInStage(to));
  const present = new Set(steps.map((step) => step.path));
  const violations = [...present]
    .filter((step) => !used.includes(step))
    .map((step) => `${pipelinePath}: does not import ${step}`);
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

describe("the path of a call", () => {
  test("is what the folders of the gateway and the imports of the pipeline say", () => {
    expect(findViolations(readCode())).toEqual([]);
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
    expect(findViolations(invented({ "admit/guess-price.ts": "" }))).toEqual([expect.stringMatching(/no step/)]);
  });
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

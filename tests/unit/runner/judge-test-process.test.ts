import { expect, test } from "bun:test";
import { judgeTestProcess } from "../../runner/jobs.ts";
import { readReport, readSkipReasons, type TestReport } from "../../runner/junit.ts";
import { listTestFiles, makePlan, readFlags, shareProcesses, type TestKind } from "../../runner/plan.ts";
import type { GroupResult } from "../../runner/process-group.ts";

const kind: TestKind = {
  name: "unit",
  needsDatabase: false,
  filesPerProcess: 2,
  jobsPerProcessor: 1,
  processTimeoutMs: 60_000,
  testTimeoutMs: 5_000,
};
const files = ["tests/unit/a.test.ts", "tests/unit/b.test.ts"];
const inOrder: GroupResult = { exitCode: 0, output: "", isTimedOut: false, leftovers: [], cpuMs: 0 };
const counted = (passed: number, failed: number, skipped: number): TestReport => ({
  ...{ passed, failed, skipped },
  files: new Set(files),
});
const threePassed = counted(3, 0, 0);

const report = (attributes: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="bun test" ${attributes} time="0.05">\n  <testsuite tests="99" failures="99">`;

test("the totals of a report are those of its first element, and skipped tests did not pass", () => {
  expect(readReport(report('tests="7" assertions="20" failures="2" skipped="1"'))).toMatchObject({
    passed: 4,
    failed: 2,
    skipped: 1,
  });
  expect(readReport(report('tests="2" failures="0"'))).toMatchObject({ passed: 2, failed: 0, skipped: 0 });
});

test("a report names the files whose tests ran or were skipped", () => {
  const xml = `${report('tests="2" failures="0"')}
    <testcase name="one &gt; two" classname="" time="0" file="tests/unit/a.test.ts" line="2" assertions="1" />
    <testcase name="skipped" classname="" time="0" file="tests/unit/b.test.ts" line="2" assertions="0">\n<skipped />`;
  expect(readReport(xml)?.files).toEqual(new Set(files));
});

test("a missing or cut report has no totals", () => {
  expect(readReport("")).toBeNull();
  expect(readReport(report('assertions="20"'))).toBeNull();
  expect(readReport('<?xml version="1.0"?>\n<testsui')).toBeNull();
});

test("the reasons for skipping are read from the names of the tests and of their groups, and counted", () => {
  const skipped = (name: string, classname: string): string =>
    `<testcase name="${name}" classname="${classname}" time="0" file="a.test.ts" line="2" assertions="0">\n  <skipped />\n</testcase>`;
  const xml = [
    skipped("x", "the edge (skipped: nginx is not installed)"),
    skipped("y", "the edge (skipped: nginx is not installed)"),
    skipped("z (skipped: python3 has no &quot;openai&quot;)", "the docs &gt; in Python"),
    skipped("deep", "the edge (skipped: nginx is not installed) &gt; with TLS"),
    skipped("quiet", ""),
    '<testcase name="ran (skipped: no)" classname="" time="0" file="a.test.ts" line="3" assertions="1" />',
    '<testcase name="failed" classname="" time="0" file="a.test.ts" line="3" assertions="1">\n  <failure />\n</testcase>',
  ].join("\n");
  expect(readSkipReasons(xml)).toEqual([
    { reason: "nginx is not installed", count: 3, files: ["a.test.ts"] },
    { reason: 'python3 has no "openai"', count: 1, files: ["a.test.ts"] },
    { reason: "no reason is given", count: 1, files: ["a.test.ts"] },
  ]);
});

test("a process that ended in order counts as what its tests say", () => {
  expect(judgeTestProcess(inOrder, counted(3, 0, 2), { files, kind })).toMatchObject({
    passed: 3,
    failed: 0,
    skipped: 2,
  });
  expect(judgeTestProcess({ ...inOrder, exitCode: 1 }, counted(2, 1, 0), { files, kind })).toMatchObject({
    passed: 2,
    failed: 1,
  });
});

test.each<[string, Partial<GroupResult>, TestReport | null, string]>([
  [
    "crashed before its report",
    { exitCode: 139 },
    null,
    "No test ran to its end (exit code 139): tests/unit/a.test.ts, tests/unit/b.test.ts",
  ],
  ["left in the middle of a test", {}, null, "No test ran to its end (exit code 0): tests/unit/a.test.ts"],
  [
    "has a file without a test",
    {},
    { ...threePassed, files: new Set(files.slice(0, 1)) },
    "No test ran to its end (exit code 0): tests/unit/b.test.ts",
  ],
  [
    "threw between its tests",
    { exitCode: 1 },
    threePassed,
    "Every test passed, but the process ended with exit code 1.",
  ],
  ["took too long", { isTimedOut: true, exitCode: 143 }, null, "It was stopped after 60 s."],
  ["left a process behind", { leftovers: ["sleep 60"] }, threePassed, "It left processes behind: sleep 60"],
])("a process that %s adds one failure", (_, result, totals, sentence) => {
  const judged = judgeTestProcess({ ...inOrder, ...result }, totals, { files, kind });
  expect(judged.failed).toBe(1);
  expect(judged.output).toContain(sentence);
});

test("`check` is quick and needs no database, `test` is everything, other words choose files", () => {
  const names = (...words: string[]): string[] => makePlan(words, false).kinds.map(({ name }) => name);
  const everything = ["tidy", "unit", "e2e", "fault", "conformance", "integration"];
  expect(names("check")).toEqual(["tidy", "unit"]);
  expect([...new Set(names("test"))]).toEqual(everything);
  expect(names("check", "fault")).toEqual(["tidy", "unit", "fault"]);
  expect(names("integration")).toEqual(["integration"]);
  expect(names("quota")).toEqual(everything);
  expect(makePlan(["integration", "quota"], false)).toMatchObject({ hasStaticChecks: false, filters: ["quota"] });
  expect(makePlan(["test"], false)).toMatchObject({ hasStaticChecks: true, isFull: false });
  expect(makePlan(["test:full"], false)).toMatchObject({ hasStaticChecks: true, isFull: true });
  expect(makePlan(["test"], true).isFull).toBe(true);
});

test("a run of everything repeats some files without the front, and a full run every fault and every official client", async () => {
  const repeated = async (...words: string[]): Promise<[kind: string, files: string[]][]> => {
    const kinds = makePlan(words, false).kinds.filter(({ withoutFront }) => withoutFront !== undefined);
    return await Promise.all(
      kinds.map(async (each): Promise<[string, string[]]> => [each.name, await listTestFiles(each, [])]),
    );
  };
  const inOrdinary = await repeated("test");
  expect(inOrdinary.map(([name]) => name)).toEqual(["fault", "conformance", "integration"]);
  for (const [name, listed] of inOrdinary) {
    const named = makePlan(["test"], false).kinds.find((each) => each.name === name && each.withoutFront !== undefined);
    expect(listed.map((file) => file.slice("tests/".length))).toEqual([...(named?.withoutFront?.files ?? [])]);
  }
  const inFull = new Map(await repeated("test:full"));
  for (const name of ["fault", "conformance"]) {
    const [usual] = makePlan([name], false).kinds;
    expect(inFull.get(name)).toEqual(await listTestFiles(usual as TestKind, []));
  }
  const further = (inFull.get("integration") ?? []).filter(
    (file) => !inOrdinary.flatMap(([, all]) => all).includes(file),
  );
  expect(further).toEqual(["tests/integration/api-fuzz.test.ts"]);
  expect(await repeated("fault", "conformance", "integration")).toEqual([]);
});

test("every file has a process: long ones first and alone, the others share the fewest that keep all processors busy", () => {
  const named = (...names: string[]): string[] => names.map((name) => `tests/unit/${name}.test.ts`);
  const waiting = { ...kind, jobsPerProcessor: 1.5, long: ["/slow"] };
  const many = named("a", "b", "c", "d", "e", "slow", "slower", "z");
  expect(shareProcesses(many, waiting, 2)).toEqual([
    ...[named("slow"), named("slower")],
    ...[named("a", "b"), named("c", "d"), named("e", "z")],
  ]);
  expect(shareProcesses(named("a", "b"), waiting, 2)).toEqual([named("a"), named("b")]);
  expect(shareProcesses(named("a", "b"), kind, 2)).toEqual([named("a", "b")]);
  expect(shareProcesses(named("slow"), waiting, 2)).toEqual([named("slow")]);
  expect(shareProcesses(many, { ...waiting, filesPerProcess: 1 }, 2)).toEqual(many.map((file) => [file]));
});

test("the last processes of the kind that runs last have fewer and fewer files", () => {
  const thirty = Array.from({ length: 30 }, (_, index) => `${String(index).padStart(2, "0")}.test.ts`);
  const shared = shareProcesses(thirty, { ...kind, filesPerProcess: 6, jobsPerProcessor: 2, endsTogether: true }, 2);
  expect(shared.map(({ length }) => length)).toEqual([6, 6, 5, 4, 3, 2, 1, 1, 1, 1]);
  expect(shared.flat()).toEqual(thirty);
  expect(makePlan(["test"], false).kinds.at(-1)?.endsTogether).toBe(true);
});

test("--help says how to call it, an unknown flag is refused, and words alone run tests", () => {
  expect(readFlags(["test", "--help"])).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining("Usage: bun run test"),
  });
  expect(readFlags(["test", "-h"])).toMatchObject({ exitCode: 0 });
  expect(readFlags(["test", "--help", "--watch"])).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining("Unknown flag: --watch"),
  });
  expect(readFlags(["test", "refunds"])).toBeNull();
  expect(readFlags([])).toBeNull();
});

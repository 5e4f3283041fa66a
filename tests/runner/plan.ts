import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.ts";

/** How the files of one folder below `tests` are run. */
export type TestKind = {
  readonly name: string;
  readonly needsDatabase: boolean;
  /** How many files share a process, which loads what they import once. None may keep anything outside its tests. */
  readonly filesPerProcess: number;
  /** Parts of the paths of files that take long: each has a process of its own, before the others. */
  readonly long?: readonly string[];
  /** Its last processes have fewer and fewer files, so that all end at about the same time: for the kind that runs last. */
  readonly endsTogether?: true;
  /** How many of its processes share a processor at once: more than 1 for tests that mostly wait. */
  readonly jobsPerProcessor: number;
  readonly processTimeoutMs: number;
  /** For a test or hook that sets no limit of its own. It is for what hangs: a busy machine takes several times as long as an idle one. */
  readonly testTimeoutMs: number;
  /** A further run of these files, or of all, in which the services that they start have no front. */
  readonly withoutFront?: { readonly files: readonly string[] | "all" };
};

export type Plan = {
  /** Lint, types, unused code. */
  readonly hasStaticChecks: boolean;
  readonly kinds: readonly TestKind[];
  readonly isFull: boolean;
  /** Only files with one of these in their path; all when empty. */
  readonly filters: readonly string[];
};

const minuteMs = 60_000;
/** With TEST_FULL=1 the counts inside the tests are larger. */
const fullFactor = 6;

/** In the order in which they run. Those with the longest files come early, so that no processor idles at the end. */
const kinds: readonly TestKind[] = [
  {
    name: "tidy",
    needsDatabase: false,
    filesPerProcess: 20,
    jobsPerProcessor: 1,
    processTimeoutMs: 3 * minuteMs,
    testTimeoutMs: minuteMs,
  },
  {
    name: "unit",
    needsDatabase: false,
    filesPerProcess: 20,
    jobsPerProcessor: 1.5,
    processTimeoutMs: 3 * minuteMs,
    testTimeoutMs: 30_000,
  },
  {
    name: "e2e",
    needsDatabase: true,
    filesPerProcess: 4,
    long: ["claude-code", "codex", "exit-node", "-languages", "-operations", "-pages", "-roles", "-states"],
    jobsPerProcessor: 1.5,
    processTimeoutMs: 15 * minuteMs,
    testTimeoutMs: 5 * minuteMs,
  },
  {
    name: "fault",
    needsDatabase: true,
    filesPerProcess: 4,
    long: [
      "growth-kills",
      "idle-connections",
      "import-killed",
      "kill-nine",
      "lost-replica",
      "memory",
      "postgres-away",
      "realtime",
      "upstream-faults",
    ],
    jobsPerProcessor: 2.5,
    processTimeoutMs: 15 * minuteMs,
    testTimeoutMs: 5 * minuteMs,
  },
  {
    name: "conformance",
    needsDatabase: true,
    filesPerProcess: 4,
    long: ["cross-table"],
    jobsPerProcessor: 2,
    processTimeoutMs: 10 * minuteMs,
    testTimeoutMs: 4 * minuteMs,
  },
  {
    name: "integration",
    needsDatabase: true,
    filesPerProcess: 12,
    endsTogether: true,
    long: [
      "/deploy/",
      "/moving/",
      "/one-file",
      "api-fuzz",
      "backend-walk",
      "branding",
      "limit-shares",
      "replica-end",
      "/start",
    ],
    jobsPerProcessor: 2.5,
    processTimeoutMs: 15 * minuteMs,
    testTimeoutMs: 4 * minuteMs,
  },
];

/** What an ordinary run repeats without the front: one file for each thing that a server of HTTP can get wrong. */
const repeatedFiles: readonly string[] = [
  "conformance/openai-client.test.ts",
  "fault/broken-streams.test.ts",
  "fault/client-abort.test.ts",
  "integration/drain.test.ts",
  "integration/large-bodies.test.ts",
  "integration/realtime.test.ts",
];
/** What a full run repeats besides: random requests of every operation. */
const fullRepeatedFiles: readonly string[] = ["integration/api-fuzz.test.ts"];
/** What a full run repeats as a whole. */
const repeatedKinds: readonly string[] = ["fault", "conformance"];

const checkKinds = ["tidy", "unit"];
const reserved: readonly string[] = ["check", "test", "test:full", "static"];

export const usageText = `Usage: bun run test [kind | part of a path]...

  bun run test              everything: static checks and all kinds of tests
  bun run test refunds      the test files with "refunds" in their path
  bun run check             static checks, tidy and unit tests
  bun run test:full         everything, with larger counts and longer limits; what breaks and what clients see also
                            without the front

Kinds: ${kinds.map(({ name }) => name).join(", ")}. \`bun tests/run.ts unit relay\` runs the files of one kind.
`;

/** What the command line asks for besides tests: the exit code and the text for it; null when tests should run. */
export type Notice = { readonly exitCode: 0 | 2; readonly text: string };

export function readFlags(words: readonly string[]): Notice | null {
  const flags = words.filter((word) => word.startsWith("-"));
  const unknown = flags.find((flag) => flag !== "--help" && flag !== "-h");
  if (unknown !== undefined) {
    return { exitCode: 2, text: `Unknown flag: ${unknown}\n\n${usageText}` };
  }
  return flags.length === 0 ? null : { exitCode: 0, text: usageText };
}

/** Reads the command line: names of kinds, `check`, `test`, `test:full`, and for the rest parts of file paths. */
export function makePlan(words: readonly string[], isFullByEnvironment: boolean): Plan {
  const isFull = isFullByEnvironment || words.includes("test:full");
  const named = new Set(words);
  const isEverything = named.has("test") || named.has("test:full");
  const isCheck = isEverything || named.has("check");
  const filters = words.filter((word) => !reserved.includes(word) && kinds.every((kind) => kind.name !== word));
  const hasKind = kinds.some((kind) => named.has(kind.name));
  const isOnlyFilters = !isCheck && !hasKind && !named.has("static");
  const chosen = kinds.filter(
    (kind) => isEverything || isOnlyFilters || named.has(kind.name) || (isCheck && checkKinds.includes(kind.name)),
  );
  // Those without the front are long, so that at the end one would run alone.
  const all = isEverything ? chosen.flatMap((kind) => [...repeatWithoutFront(kind, isFull), kind]) : chosen;
  return {
    hasStaticChecks: named.has("static") || isCheck,
    kinds: all.map((kind) => (isFull ? withFullTimeouts(kind) : kind)),
    isFull,
    filters,
  };
}

/** The test files of a kind, in the order of their paths. */
export async function listTestFiles(kind: TestKind, filters: readonly string[]): Promise<string[]> {
  const folder = join(root, "tests", kind.name);
  if (!existsSync(folder)) {
    return [];
  }
  const files = await Array.fromAsync(new Bun.Glob("**/*.{test,e2e}.ts").scan({ cwd: folder }));
  return files
    .map((file) => `${kind.name}/${file}`)
    .filter((file) => (kind.withoutFront?.files ?? "all") === "all" || kind.withoutFront?.files.includes(file))
    .map((file) => `tests/${file}`)
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort();
}

/**
 * The files of a kind by the process that runs them. Files that mostly wait share one only where they could not all wait
 * at the same time.
 * @param processors how many there are
 */
export function shareProcesses(files: readonly string[], kind: TestKind, processors: number): string[][] {
  const isLong = (file: string): boolean => kind.long?.some((part) => file.includes(part)) ?? false;
  const alone = kind.filesPerProcess === 1 ? files : files.filter(isLong);
  const others = files.filter((file) => !alone.includes(file));
  const atOnce = kind.jobsPerProcessor > 1 ? Math.floor(processors * kind.jobsPerProcessor) : 1;
  const share = kind.endsTogether ? shareShrinking : shareEqually;
  return [...alone.map((file) => [file]), ...share(others, kind.filesPerProcess, atOnce)];
}

function shareEqually(files: readonly string[], filesMax: number, atOnce: number): string[][] {
  const shared = Math.max(Math.min(files.length, atOnce), Math.ceil(files.length / filesMax));
  const bounds = Array.from({ length: shared + 1 }, (_, index) => Math.round((files.length * index) / shared));
  return bounds.slice(1).map((end, index) => files.slice(bounds[index], end));
}

/** Each process has an equal share of what is left, so that the last ones have one file. */
function shareShrinking(files: readonly string[], filesMax: number, atOnce: number): string[][] {
  const shared: string[][] = [];
  for (let left = files; left.length > 0; ) {
    const count = Math.min(filesMax, Math.ceil(left.length / atOnce));
    shared.push(left.slice(0, count));
    left = left.slice(count);
  }
  return shared;
}

/** The runs of a kind without the front: none, or one. */
function repeatWithoutFront(kind: TestKind, isFull: boolean): TestKind[] {
  const isWhole = isFull && repeatedKinds.includes(kind.name);
  const named = isFull ? [...repeatedFiles, ...fullRepeatedFiles] : repeatedFiles;
  const files = isWhole ? "all" : named.filter((file) => file.startsWith(`${kind.name}/`));
  return files.length === 0 ? [] : [{ ...kind, withoutFront: { files } }];
}

function withFullTimeouts(kind: TestKind): TestKind {
  return {
    ...kind,
    // Each file alone, which shows one that needs another.
    filesPerProcess: 1,
    // With larger counts they compute more than they wait.
    jobsPerProcessor: Math.min(kind.jobsPerProcessor, 2),
    processTimeoutMs: kind.processTimeoutMs * fullFactor,
    testTimeoutMs: kind.testTimeoutMs * fullFactor,
  };
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Description, findApiBreaks } from "../releases/compare-api.ts";
import { listReleases, loadApi, loadVariables, variablesIn } from "../releases/stored-releases.ts";
import { readDescription } from "../support/api-fuzz/description.ts";
import { SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot } from "../support/service/start-process.ts";

/** What was taken back while nobody had the first release; later ones get no such list. */
const brokenBeforeFirst: readonly string[] = [
  "get /healthz: output reasons is gone",
  "post /backend/admin/channel/save/: input base_url is gone",
  "post /backend/admin/channel/save/: output channel.base_url is gone",
  "post /backend/admin/channel/enable/: output channels[].base_url is gone",
  "post /backend/admin/channel/disable/: output channels[].base_url is gone",
  "get /backend/admin/channel/list/: output rows[].kind is gone",
  "get /backend/admin/channel/list/: output rows[].base_url is gone",
];
const unsetBeforeFirst: readonly string[] = ["UNPAID_ABORTS_PER_HOUR"];

const [first, ...later] = await listReleases();
let rig: SluiceRig;
let now: Description;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  const { url } = await rig.startProcess();
  now = (await readDescription(url)) as unknown as Description;
});

afterAll(() => rig.close());

const releases = [
  { release: first ?? "", broken: brokenBeforeFirst, unset: unsetBeforeFirst },
  ...later.map((release) => ({ release, broken: [], unset: [] })),
];

describe.each(releases)("what worked with release $release", ({ release, broken, unset }) => {
  test("clients find every operation, parameter and field, and need to send no more", async () => {
    const before = await loadApi(release);
    expect(Object.keys(before.paths).length).toBeGreaterThan(100);
    expect(findApiBreaks(before, now).sort()).toEqual(broken.toSorted());
  });

  test("every setting still has its variable", async () => {
    const known = variablesIn(readFileSync(join(repositoryRoot, "deploy/env.example"), "utf8"));
    const before = await loadVariables(release);
    expect(before).toContain("DATABASE_URL");
    expect(before.filter((name) => !known.includes(name))).toEqual([...unset]);
  });
});

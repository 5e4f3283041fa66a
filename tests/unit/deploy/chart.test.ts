import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { imageAccount } from "@sluice/binary/container-image.ts";
import binaryManifest from "@sluice/binary/package.json";
import { registerGauges } from "@sluice/control-plane/operations/gauges.ts";
import { configVariables } from "@sluice/control-plane/platform/config.ts";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import { Registry } from "prom-client";

const folder = join(import.meta.dir, "../../../deploy/chart/sluice");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
type Values = { readonly [name: string]: Values | string | number | boolean | readonly unknown[] };
const values = Bun.YAML.parse(read("values.yaml")) as Values;
const schema = JSON.parse(read("values.schema.json"));

/** What the chart sets by values of their own, from keys of the Secret, or never, because production refuses or ignores it. */
const setByTheChart = [
  ...["NODE_ENV", "HOST", "PORT", "DATA_DIR", "WEB_DIST", "PUBLIC_BASE_URL", "DRAIN_NOTICE_MS", "DRAIN_TIMEOUT_MS"],
  ...["CLIENT_IP_HEADER", "EDGE_ADDRESSES", "DATABASE_URL", "MIGRATION_DATABASE_URL", "METRICS_TOKEN"],
  ...["MASTER_KEY", "MASTER_KEY_FILE", "MASTER_KEY_PREVIOUS", "MASTER_KEY_PREVIOUS_FILE"],
  ...["NEW_MASTER_KEY", "NEW_MASTER_KEY_FILE", "DEVELOPMENT_ON_NETWORK", "PAYMENT_MOCK", "SANDBOX_URL"],
];

/** The paths of all values, such as `image.tag`, without what is inside of probes, resources and settings. */
function pathsOf(value: Values, prefix = ""): string[] {
  return Object.entries(value).flatMap(([name, each]) => {
    const path = `${prefix}${name}`;
    const isGroup = typeof each === "object" && !Array.isArray(each) && Object.keys(each).length > 0;
    const isWhole = /^(settings|probes|resources|migration\.resources)$/.test(path);
    return isGroup && !isWhole ? pathsOf(each as Values, `${path}.`) : [path];
  });
}

test("settings and secret settings of the chart are exactly the variables that it does not set itself", () => {
  const { settings, secretSettings } = schema.properties;
  const listed: string[] = [...settings.propertyNames.enum, ...secretSettings.propertyNames.enum, ...setByTheChart];
  expect(listed.toSorted()).toEqual(
    [...new Set([...configVariables(), ...Object.keys(runtimeEnvironment())])].toSorted(),
  );
});

test("the page of the chart explains every value, and no other", () => {
  const explained = [...read("README.md").matchAll(/^\| `([^`]+)` \|/gm)].map(([, path]) => path);
  expect(explained.toSorted()).toEqual(pathsOf(values).toSorted());
});

test("the chart is for the version of the program beside it, and runs it as the account of its image", () => {
  const chart = Bun.YAML.parse(read("Chart.yaml")) as Values;
  expect(chart["appVersion"]).toBe(binaryManifest.version);
  expect(values["runAsUser"]).toBe(imageAccount);
});

test("the autoscaler counts calls by a metric that the service exports", async () => {
  const [, name] = /metric:\s+name: (\S+)/.exec(read("templates/autoscaler.yaml")) ?? [];
  const registry = new Registry();
  const depth = () => ({ entries: 0, bytes: 0, oldestAgeMs: 0, quarantined: 0 });
  const db = { load: () => ({ inUse: 0 }) } as unknown as Parameters<typeof registerGauges>[0]["db"];
  const lag = { p99Ms: () => 0 } as unknown as Parameters<typeof registerGauges>[0]["lag"];
  registerGauges({ registry, spool: { depth }, lag, db, inFlight: () => 7 });
  expect(await registry.metrics()).toContain(`${name} 7`);
});

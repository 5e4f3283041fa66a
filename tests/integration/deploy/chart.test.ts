import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { innerPrograms } from "@sluice/binary/src/inner-programs.ts";
import { programs } from "@sluice/binary/src/programs.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import { describeUnless, firstObstacle, testUnless } from "../../support/service/obstacles.ts";
import { schemaEnvironment } from "../../support/service/python-environment.ts";
import { startProgram } from "../../support/service/start-process.ts";
import {
  containersOf,
  type EnvironmentEntry,
  type KubernetesObject,
  lintChart,
  oneOf,
  podsOf,
  renderChart,
  templateChart,
  unlessHelm,
} from "../../support/shipping/chart.ts";
import { everythingOff, everythingOn, refusedValues, required, valueSets } from "../../support/shipping/value-sets.ts";

const secretNames = /(KEY|TOKEN|SECRET|PASSWORD)$|^(SMTP|DATABASE|MIGRATION_DATABASE|RESPONSE_CACHE)_URL$/;
const secretValues: Readonly<Record<string, string>> = {
  DATABASE_URL: "postgres://db/sluice",
  MIGRATION_DATABASE_URL: "postgres://db/sluice",
  SMTP_URL: "smtps://mail.example",
};
const releasesChecked = ["1.27", "1.37"];

/** The variables as the program gets them, with stand-ins for what comes from Secrets. */
function environmentOf(entries: readonly EnvironmentEntry[]): Record<string, string> {
  return Object.fromEntries(
    entries.map(({ name, value, valueFrom }) => [
      name,
      valueFrom === undefined ? (value ?? "") : (secretValues[name] ?? "of-a-secret-1234"),
    ]),
  );
}

/** Whether a selector of labels selects the pods of an object. */
function selects(selector: Readonly<Record<string, string>>, object: KubernetesObject): boolean {
  const labels = object.spec.template.metadata.labels;
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}

async function checkSchemas(objects: readonly KubernetesObject[], release: string): Promise<[number, string]> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-chart-"));
  try {
    const files = objects.map((each, index) => {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(each));
      return file;
    });
    const command = [schemaEnvironment.python, "-m", "kubernetes_validate", "--strict", "-k", release, ...files];
    const program = startProgram({ command, env: {} });
    return [(await program.exited) ?? -1, program.output()];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describeUnless(unlessHelm, "the chart", () => {
  test.each(valueSets)("passes the checks of helm: %s", async (_, values) => {
    const { code, output } = await lintChart(values);
    expect([code, output]).toEqual([0, expect.stringContaining("1 chart(s) linted, 0 chart(s) failed")]);
    expect(output).not.toMatch(/WARNING|ERROR/);
  });

  test.each(refusedValues)("refuses %s", async (_, values, reason) => {
    const { code, output } = await templateChart(values);
    expect([code, output]).toEqual([1, expect.stringMatching(reason)]);
  });

  test.each(valueSets)("gives the program a configuration that it accepts: %s", async (_, values) => {
    const containers = containersOf(await renderChart(values));
    expect(containers.length).toBeGreaterThan(0);
    for (const { env, args } of containers) {
      const names = env.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
      const environment = environmentOf(env);
      const { PUBLIC_BASE_URL, HOST, PORT, NODE_ENV } = loadConfig(environment);
      expect([PUBLIC_BASE_URL, HOST, PORT, NODE_ENV]).toEqual([
        "https://sluice.example",
        "0.0.0.0",
        3000,
        "production",
      ]);
      // What the supervisor sets for its processes elsewhere.
      expect(environment).toMatchObject(runtimeEnvironment(environment));
      expect(args.filter((word) => !(word in innerPrograms) && programs.every(({ name }) => name !== word))).toEqual(
        [],
      );
    }
  });

  test.each(valueSets)("holds no secret, only references: %s", async (_, values) => {
    const objects = await renderChart(values);
    expect(objects.filter(({ kind }) => kind === "Secret" || kind === "ConfigMap")).toEqual([]);
    const entries = containersOf(objects).flatMap(({ env }) => env);
    expect(entries.filter(({ name, value }) => secretNames.test(name) && value !== undefined)).toEqual([]);
    expect(entries.some(({ name }) => name === "MASTER_KEY")).toBe(false);
  });

  test.each(valueSets)("runs pods without rights, that can write to their volume only: %s", async (_, values) => {
    const objects = await renderChart(values);
    for (const pod of podsOf(objects)) {
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    }
    for (const { securityContext, resources } of containersOf(objects)) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        privileged: false,
        capabilities: { drop: ["ALL"] },
      });
      expect(resources.limits.memory).toMatch(/^\d+Gi$/);
    }
  });

  test("leaves calls more time to end than the program gives them, and new ones time to go elsewhere", async () => {
    const drain = { noticeSeconds: 20, timeoutSeconds: 3600, marginSeconds: 40 };
    const { spec } = oneOf(await renderChart({ ...required, drain }), "StatefulSet").spec.template;
    const config = loadConfig(environmentOf(spec.containers[0].env));
    expect([config.DRAIN_NOTICE_MS, config.DRAIN_TIMEOUT_MS]).toEqual([20_000, 3_600_000]);
    expect(spec.terminationGracePeriodSeconds).toBe(3640);
  });

  test("migrates in a hook before anything changes, with what exists then, and as the owner of the database", async () => {
    const job = oneOf(await renderChart(everythingOn), "Job");
    expect(job.metadata.annotations).toMatchObject({
      "helm.sh/hook": "pre-install,pre-upgrade",
      "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    });
    const pod = job.spec.template.spec;
    expect([pod.serviceAccountName, pod.restartPolicy]).toEqual(["default", "Never"]);
    expect(pod.volumes.map((each: { secret?: { secretName: string } }) => each.secret?.secretName)).toEqual(["sluice"]);
    const namesOf = (container: { env: readonly EnvironmentEntry[] }) => container.env.map(({ name }) => name);
    const [[migrate], [seed]] = [pod.initContainers, pod.containers];
    expect([migrate.args, seed.args]).toEqual([["migrate"], ["seed"]]);
    expect([namesOf(migrate), namesOf(seed)].map((names) => names.includes("MIGRATION_DATABASE_URL"))).toEqual([
      true,
      false,
    ]);
    // A job of the release before can't be in its way, and it is never counted as a replica.
    const replicas = oneOf(await renderChart(everythingOn), "StatefulSet");
    expect(namesOf(replicas.spec.template.spec.containers[0])).not.toContain("MIGRATION_DATABASE_URL");
    expect(selects(replicas.spec.selector.matchLabels, job)).toBe(false);
  });

  test("selects the replicas, and no other pod, in everything that concerns them", async () => {
    const objects = await renderChart(everythingOn);
    const [replicas, job] = [oneOf(objects, "StatefulSet"), oneOf(objects, "Job")];
    const selectors = [
      replicas.spec.selector.matchLabels,
      oneOf(objects, "PodDisruptionBudget").spec.selector.matchLabels,
      oneOf(objects, "NetworkPolicy").spec.podSelector.matchLabels,
      ...replicas.spec.template.spec.topologySpreadConstraints.map(
        (each: { labelSelector: { matchLabels: Record<string, string> } }) => each.labelSelector.matchLabels,
      ),
      ...objects.flatMap(({ kind, spec }) => (kind === "Service" ? [spec.selector] : [])),
    ];
    expect(selectors.map((each) => [selects(each, replicas), selects(each, job)])).toEqual(
      selectors.map(() => [true, false]),
    );
    const monitored = oneOf(objects, "ServiceMonitor").spec.selector.matchLabels;
    const services = objects.filter(
      ({ kind, metadata }) =>
        kind === "Service" && Object.entries(monitored).every(([name, value]) => metadata.labels[name] === value),
    );
    // The other one has the same pods, which would be read twice.
    expect(services.map(({ metadata }) => metadata.name)).toEqual(["shop-sluice"]);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toContain(`Service ${replicas.spec.serviceName}`);
    expect(oneOf(objects, "HorizontalPodAutoscaler").spec.scaleTargetRef.name).toBe(replicas.metadata.name);
  });

  test("keeps spools on claims that outlive their replicas, or says that they are lost", async () => {
    const kept = oneOf(await renderChart(required), "StatefulSet").spec;
    expect(kept.volumeClaimTemplates[0].metadata.name).toBe("data");
    expect(kept.persistentVolumeClaimRetentionPolicy).toEqual({ whenDeleted: "Retain", whenScaled: "Retain" });
    expect(kept.template.spec.containers[0].volumeMounts).toContainEqual({ name: "data", mountPath: "/data" });
    const lost = oneOf(await renderChart(everythingOff), "StatefulSet").spec;
    expect(lost.volumeClaimTemplates).toBeUndefined();
    expect(lost.template.spec.volumes).toContainEqual({ name: "data", emptyDir: { sizeLimit: "4Gi" } });
  });

  testUnless(
    firstObstacle(unlessHelm, unlessHelm === null ? schemaEnvironment.install() : null),
    "makes objects that fit the schemas of Kubernetes, the oldest and the newest release that it is for",
    async () => {
      for (const [, values] of valueSets) {
        const objects = await renderChart(values);
        // It belongs to an extension, whose schemas are not among them.
        const known = objects.filter(({ kind }) => kind !== "ServiceMonitor");
        for (const release of releasesChecked) {
          const [code, output] = await checkSchemas(known, release);
          expect([code, output.match(/passed for resource/g)?.length, output]).toEqual([0, known.length, output]);
        }
      }
      const job = oneOf(await renderChart(required), "Job");
      const [code] = await checkSchemas([{ ...job, spec: { ...job.spec, retries: 3 } }], "1.37");
      expect(code).not.toBe(0);
    },
  );
});

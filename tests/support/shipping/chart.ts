import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Obstacle, unlessInstalled } from "../service/obstacles.ts";
import { repositoryRoot, startProgram } from "../service/start-process.ts";

export const chartFolder = join(repositoryRoot, "deploy/chart/sluice");

const own = join(repositoryRoot, ".data/helm/helm");
const helm = existsSync(own) ? own : "helm";

/** The obstacle of what needs helm: that of the machine, or the one that `.ci/run` put into `.data`. */
export const unlessHelm: Obstacle = helm === own ? null : unlessInstalled("helm");

/** What the tests read of a Kubernetes object; everything else in it is checked against the schemas of Kubernetes. */
export type KubernetesObject = {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  // biome-ignore lint/suspicious/noExplicitAny: an object of any kind
  readonly spec: any;
};

type HelmResult = { readonly code: number; readonly output: string };

async function runHelm(words: readonly string[], values: object): Promise<HelmResult> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-chart-"));
  try {
    const file = join(folder, "values.json");
    writeFileSync(file, JSON.stringify(values));
    const program = startProgram({ command: [helm, ...words, "--values", file], env: { HELM_CACHE_HOME: folder } });
    return { code: (await program.exited) ?? -1, output: program.output() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export function lintChart(values: object): Promise<HelmResult> {
  return runHelm(["lint", chartFolder], values);
}

/** What an installation under the name `shop` would send to the cluster, or why it is refused. */
export function templateChart(values: object): Promise<HelmResult> {
  return runHelm(["template", "shop", chartFolder, "--namespace", "models", "--kube-version", "1.35.0"], values);
}

/** @throws Error with the output of helm when the values are refused */
export async function renderChart(values: object): Promise<KubernetesObject[]> {
  const { code, output } = await templateChart(values);
  if (code !== 0) {
    throw new Error(output);
  }
  const parsed = Bun.YAML.parse(output) as KubernetesObject | (KubernetesObject | null)[];
  return [parsed].flat().filter((each) => each !== null);
}

export type EnvironmentEntry = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
};

export type Container = {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: readonly EnvironmentEntry[];
  // biome-ignore lint/suspicious/noExplicitAny: checked against the schemas
  readonly [other: string]: any;
};

/** The specifications of the pods that the objects make. */
// biome-ignore lint/suspicious/noExplicitAny: checked against the schemas
export function podsOf(objects: readonly KubernetesObject[]): any[] {
  return objects.flatMap((each) => (each.spec?.template === undefined ? [] : [each.spec.template.spec]));
}

export function containersOf(objects: readonly KubernetesObject[]): Container[] {
  return podsOf(objects).flatMap((pod) => [...(pod.initContainers ?? []), ...pod.containers]);
}

/** @throws Error when there is not exactly one */
export function oneOf(objects: readonly KubernetesObject[], kind: string): KubernetesObject {
  const [found, more] = objects.filter((each) => each.kind === kind);
  if (found === undefined || more !== undefined) {
    throw new Error(`there is not one ${kind}`);
  }
  return found;
}

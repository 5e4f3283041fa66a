import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../service/start-process.ts";

/** What the tests read of a service. */
export type ComposeService = {
  readonly user: string;
  readonly privileged?: boolean;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly deploy: { readonly resources: { readonly limits: Readonly<Record<string, string | number>> } };
  readonly logging: { readonly options: Readonly<Record<string, string>> };
  readonly stop_grace_period: string;
};

export type Compose = {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, unknown>>;
};

/** Puts variables into the texts of a document, as compose does after it has read it. */
function interpolate(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === "string") {
    return value.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
      const given = variables[name] || (kind === "-" ? rest : null);
      if (given === null) {
        throw new Error(`${name}: ${rest}`);
      }
      return given;
    });
  }
  if (Array.isArray(value)) {
    return value.map((each) => interpolate(each, variables));
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, interpolate(each, variables)]));
  }
  return value;
}

/**
 * `deploy/container/compose.yaml` with its variables.
 * @throws Error when one without a default is missing
 */
export function readCompose(variables: Readonly<Record<string, string>>): Compose {
  const text = readFileSync(join(repositoryRoot, "deploy/container/compose.yaml"), "utf8");
  return interpolate(Bun.YAML.parse(text), variables) as Compose;
}

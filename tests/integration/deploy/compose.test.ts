import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { imageAccount } from "@sluice/binary/container-image.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { readSettings } from "@sluice/deploy/start/settings";
import { testUnless } from "../../support/service/obstacles.ts";
import { schemaEnvironment } from "../../support/service/python-environment.ts";
import { repositoryRoot } from "../../support/service/start-process.ts";
import { readCompose } from "../../support/shipping/compose.ts";

const folder = join(repositoryRoot, "deploy/container");
const given = { PUBLIC_BASE_URL: "https://sluice.example", POSTGRES_PASSWORD: "0815abc" };
const { services, networks } = readCompose(given);

type Joined = Readonly<Record<string, { readonly ipv4_address?: string }>>;

const readStrictly = "import sys; from compose_spec import PyCompose; PyCompose.from_json(sys.stdin.read()).validate()";

/** The fixed address of a service beside the edge. */
function addressOf(name: string): string {
  const joined = services[name]?.networks ?? [];
  return (Array.isArray(joined) ? undefined : (joined as Joined)["front"]?.ipv4_address) ?? "none";
}

describe("the services of compose.yaml", () => {
  test.each(Object.keys(given))("have no default for %s", (name) => {
    expect(() => readCompose({ ...given, [name]: "" })).toThrow(name);
  });

  test("have their required settings in env.example, and no secret that is set there", () => {
    const example = readFileSync(join(folder, "env.example"), "utf8");
    const names = [...example.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = ""]) => name);
    const used = [...readFileSync(join(folder, "compose.yaml"), "utf8").matchAll(/\$\{([A-Z_]+)/g)];
    expect(new Set(names)).toEqual(new Set(used.map(([, name = ""]) => name)));
    expect(example).not.toMatch(/(PASSWORD|TOKEN)=./);
  });

  test.each(Object.entries(services))("%s has no rights, limits, and an order by health", (name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      restart: "unless-stopped",
    });
    expect(service.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(service.privileged).toBeUndefined();
    const { cpus, memory, pids } = service.deploy.resources.limits;
    expect([cpus, memory, pids].every((limit) => limit !== undefined)).toBe(true);
    expect(service.healthcheck?.test[0]).toBe("CMD");
    expect(service.logging.options["max-size"]).toBeDefined();
    const before = { postgres: [], sluice: ["postgres"], edge: ["sluice"] }[name];
    expect(Object.entries(service.depends_on ?? {})).toEqual(
      (before ?? []).map((other) => [other, { condition: "service_healthy" }]),
    );
  });

  test("open only the edge to others, and the database to the service alone", () => {
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(["edge"]);
    expect(networks["back"]).toEqual({ internal: true });
    expect(services["postgres"]?.networks).toEqual(["back"]);
    expect(Object.keys(services["edge"]?.networks ?? {})).toEqual(["front"]);
  });

  test("give the program settings that it accepts, its own account, and time to let calls end", () => {
    const sluice = services["sluice"];
    const environment = { ...sluice?.environment, HOST: "0.0.0.0", PORT: "3000", DATA_DIR: "/data" };
    const config = loadConfig(environment);
    expect(readSettings("/data", environment, []).databaseUrl).toBe("postgres://sluice:0815abc@postgres:5432/sluice");
    expect(sluice?.user).toBe(`${imageAccount}:${imageAccount}`);
    expect(sluice?.stop_grace_period).toBe(`${config.DRAIN_TIMEOUT_MS / 1_000 + 30}s`);
    expect(config.EDGE_ADDRESSES).toEqual([addressOf("edge")]);
    expect(readFileSync(join(folder, "edge/program.conf"), "utf8")).toContain(`server ${addressOf("sluice")}:3000;`);
  });

  testUnless(schemaEnvironment.install(), "are what the specification of compose allows", () => {
    const check = (document: object): [number, string] => {
      const stdin = Buffer.from(JSON.stringify(document));
      const read = Bun.spawnSync([schemaEnvironment.python, "-c", readStrictly], { stdin, stderr: "pipe" });
      return [read.exitCode, read.stderr.toString()];
    };
    const compose = readCompose(given);
    expect(check(compose)).toEqual([0, ""]);
    const sluice = { ...services["sluice"], readonly: true };
    expect(check({ ...compose, services: { sluice } })).toEqual([1, expect.stringContaining("readonly")]);
  });
});

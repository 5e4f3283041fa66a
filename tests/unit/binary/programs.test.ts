import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { innerPrograms } from "@sluice/binary/src/inner-programs.ts";
import { type Program, programs } from "@sluice/binary/src/programs.ts";
import { allCommands } from "@sluice/cli/commands/all-commands.ts";
import { complete } from "@sluice/cli/complete.ts";
import { exitCodes } from "@sluice/cli/failure.ts";
import { findCommand } from "@sluice/cli/find-command.ts";
import { helpOf } from "@sluice/cli/help.ts";
import { parseFor } from "@sluice/cli/parse-command.ts";
import { type ObjectExpression, parseSync, Visitor } from "oxc-parser";
import { repositoryRoot } from "../../support/service/start-process.ts";

const commandFolder = join(repositoryRoot, "control-plane/src/commands");

/** Scripts of package.json that are for those who develop it, or are the command line itself. */
const forCheckouts = [
  ...["dev", "check", "test", "test:full", "bench", "format", "sluice", "db:generate", "build", "release", "mutate"],
  ...["cross-table", "release:store", "shots", "lighthouse"],
];

/** The file that a program loads. */
function fileOf({ load }: Pick<Program, "load">): string {
  const [, specifier = ""] = /import\("([^"]+)"\)/.exec(load.toString()) ?? [];
  return join(
    repositoryRoot,
    specifier
      .replace(/^\.\//, "binary/src/")
      .replace("@sluice/control-plane/", "control-plane/src/")
      .replace(/^@sluice\/deploy\/(.*)$/, "deploy/$1.ts"),
  );
}

/** The options that a source hands to `parseArgs`, with their types. */
function parsedOptions(file: string): Record<string, string> {
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  const constants = new Map<string, ObjectExpression>();
  const given: ObjectExpression[] = [];
  const objectOf = (node: { readonly type: string } | null | undefined): ObjectExpression | null => {
    const inner = node?.type === "TSAsExpression" ? (node as unknown as { expression: typeof node }).expression : node;
    return inner?.type === "ObjectExpression" ? (inner as ObjectExpression) : null;
  };
  const property = (object: ObjectExpression, name: string) =>
    object.properties.find(
      (each) => each.type === "Property" && each.key.type === "Identifier" && each.key.name === name,
    );
  const visitor = new Visitor({
    VariableDeclarator: ({ id, init }) => {
      const object = objectOf(init);
      if (id.type === "Identifier" && object !== null) {
        constants.set(id.name, object);
      }
    },
    CallExpression: ({ callee, arguments: [input] }) => {
      const object = objectOf(input);
      const options = object === null ? undefined : property(object, "options");
      if (callee.type === "Identifier" && callee.name === "parseArgs" && options?.type === "Property") {
        const { value } = options;
        const found = value.type === "Identifier" ? constants.get(value.name) : objectOf(value);
        given.push(...(found === undefined || found === null ? [] : [found]));
      }
    },
  });
  visitor.visit(program);
  return Object.fromEntries(
    given.flatMap(({ properties }) =>
      properties.flatMap((each) => {
        if (each.type !== "Property") {
          return [];
        }
        const name =
          each.key.type === "Literal" ? String(each.key.value) : each.key.type === "Identifier" ? each.key.name : "";
        const option = objectOf(each.value);
        const type = option === null ? undefined : property(option, "type");
        return [[name, type?.type === "Property" && type.value.type === "Literal" ? String(type.value.value) : ""]];
      }),
    ),
  );
}

describe("the programs of the one file", () => {
  test("are all commands of the service, and all scripts that are not for developers", () => {
    const files = readdirSync(commandFolder).map((name) => join(commandFolder, name));
    const loaded = [...programs, ...Object.values(innerPrograms).map((load) => ({ load }))].map(fileOf);
    expect(files.filter((file) => !loaded.includes(file))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const wanted = Object.keys(scripts).filter((name) => !forCheckouts.includes(name));
    const names = programs.map(({ name }) => name.replace(" ", ":"));
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
  });

  test.each(programs.map((program) => [program.name, program] as const))(
    "%s has the options that it declares",
    (_, program) => {
      const declared = Object.entries(program.options ?? {}).map(([name, { type }]) => [name, type]);
      expect(Object.fromEntries(declared)).toEqual(parsedOptions(fileOf(program)));
      expect(helpOf(program)).toStartWith(`${program.text}\n\nUsage: sluice ${program.name}`);
    },
  );

  test("have names that no other command has", () => {
    const names = allCommands.map(({ name }) => name);
    expect(programs.filter(({ name }) => names.includes(name))).toEqual([]);
    expect(findCommand([...programs, ...allCommands], ["usage", "rebuild", "--all"])?.command.name).toBe(
      "usage rebuild",
    );
    expect(findCommand([...programs, ...allCommands], ["usage", "--json"])?.command.name).toBe("usage");
  });

  test.each([
    ["an option that it does not have", "replicas", ["--force"]],
    ["a word too many", "audit", ["now"]],
    ["no value for an option that it needs", "admin create", ["--super"]],
    ["--json, which only some print", "audit", ["--json"]],
  ] as const)("refuse %s as a wrong command line", (_, name, words) => {
    const program = programs.find((each) => each.name === name);
    expect(program).toBeDefined();
    expect(() => parseFor(program as Program, words)).toThrow(expect.objectContaining({ exitCode: exitCodes.usage }));
  });

  test("take any number of words where they say so", () => {
    const replicas = programs.find(({ name }) => name === "replicas") as Program;
    expect(parseFor(replicas, []).words).toEqual([]);
    expect(parseFor(replicas, ["release", "a", "b", "--yes"]).words).toEqual(["release", "a", "b"]);
  });

  test("are completed with the commands of customers", () => {
    const known = [...programs, ...allCommands];
    expect(complete(known, ["a"])).toEqual(["admin", "audit", "audit-log"]);
    expect(complete(known, ["admin", ""])).toEqual(["create", "totp-remove"]);
    expect(complete(known, ["audit", "--"])).toEqual(["--help"]);
    expect(complete(known, ["replicas", "--"])).toEqual(["--help", "--reason", "--silent-for", "--yes"]);
    expect(complete(known, ["usage", "r"])).toContain("rebuild");
  });
});

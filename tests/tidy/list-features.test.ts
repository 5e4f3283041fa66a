import { expect, test } from "bun:test";
import { readTree } from "./tree.ts";

/** Lists of a few rows, all of which are on the page: there is nothing that a file or a choice would add. */
const shortLists: Readonly<Record<string, string>> = {
  "admin-admins": "a few people; rights are changed one by one, with a reason",
  "admin-approvals": "requests are decided one by one, after looking at each",
  "admin-mail-templates": "a row for each kind of mail",
  "admin-model-map": "the names that a release ships with, and a few of one's own",
  "admin-invitations": "a few links, each with its uses",
  "admin-secrets": "names only; a secret is never written to a file",
  "admin-sign-in": "a handful of services",
  "admin-auth-profiles": "a handful, whose credentials are never written to a file",
  referrals: "a customer's own invitations; the sums are above the list",
};

/** Lists whose rows can't be chosen; the file holds what the filters leave. */
const withoutChoice: Readonly<Record<string, string>> = {
  "admin-abilities": "a row has no id of its own, but a group, a model and a channel",
  "admin-trace": "calls are read and never changed",
  "props.name": "reports are sums and not things",
};

type Table = { readonly path: string; readonly name: string; readonly text: string };

/** Every table of admin and console, up to the end of its element. */
function tables(): Table[] {
  return readTree()
    .filter(({ path }) => /^web\/src\/(admin|console)\/.*\.tsx$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^( *)<DataTable\b[\s\S]*?^\1\/>$/gm)].map(([element]) => ({
        path,
        name: /\bname=(?:"([^"]+)"|\{([^}\n]+\}?[^}\n]*)\})/.exec(element)?.slice(1).find(Boolean) ?? "",
        text: element,
      })),
    );
}

const hasFile = ({ text }: Table): boolean => /\{\.\.\.list\}|\{\.\.\.query\}|\bexports=/.test(text);
const hasChoice = ({ text }: Table): boolean => /\bselection=/.test(text);
const isOfAdmin = ({ path }: Table): boolean => path.startsWith("web/src/admin/");

test("every list has a name, under which its views and columns are kept", () => {
  expect(tables().length).toBeGreaterThan(40);
  expect(tables().filter(({ name }) => name === "")).toEqual([]);
});

test("every list can be saved as a file, unless it is short", () => {
  const missing = tables().filter((table) => !hasFile(table) && shortLists[table.name] === undefined);
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("rows of every list of the admin can be chosen, unless there is nothing to do with them", () => {
  const missing = tables().filter(
    (table) =>
      isOfAdmin(table) &&
      !hasChoice(table) &&
      shortLists[table.name] === undefined &&
      withoutChoice[table.name] === undefined,
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});

test("no exception is left over", () => {
  const known = new Map(tables().map((table) => [table.name, table]));
  const idle = [
    ...Object.keys(shortLists).filter((name) => !known.has(name) || hasFile(known.get(name) as Table)),
    ...Object.keys(withoutChoice).filter((name) => !known.has(name) || hasChoice(known.get(name) as Table)),
  ];
  expect(idle).toEqual([]);
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { declaredEndpoints } from "../support/admin/declared-endpoints.ts";
import { SluiceRig } from "../support/service/sluice.ts";
import { listFiles, readText } from "../tidy/tree.ts";

let rig: SluiceRig;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
});

afterAll(() => rig.close());

/** What people read: the documents of the repository, the explained settings, and the docs of the site. */
const isDocument = (path: string): boolean =>
  (path.endsWith(".md") && !path.startsWith("tests/")) ||
  path.endsWith("env.example") ||
  path.startsWith("web/src/site/docs/messages/");

/** Served by the program without being an endpoint of a feature. */
const served = ["/backend/docs/", "/backend/openapi.json"];
/**
 * Beginnings of several paths, as lists in code have them, follow `path: "`. `/backend/...`, `/backend/admin/*` and the
 * like mean every path with that beginning.
 */
const ofMany = /(\.\.\.|\/\*)$/;

/** The addresses of an application's pages. Its routes can't be loaded without a browser. */
function pagesOf(application: "admin" | "console"): string[] {
  const routes = readText(`web/src/${application}/routes.ts`) ?? "";
  return [...routes.matchAll(/\bpath: "([^"]+)"/g)].map(([, path = ""]) => `/${application}${path}`);
}

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/:[a-z_]+/g, "[^/]+").replace(/\/$/, "/?")}$`);

test("every path of the backend, the admin and the console that a document names exists", async () => {
  const endpoints = await declaredEndpoints(rig);
  const pages = [...pagesOf("admin"), ...pagesOf("console")];
  const known = [...endpoints.map(({ path }) => path), ...pages, ...served].map(pattern);
  const named = listFiles()
    .filter(isDocument)
    .flatMap((file) =>
      [...(readText(file) ?? "").matchAll(/(?<![\w./-]|path: ")\/(?:backend|admin|console)\/[\w/:.*<>-]*/g)].map(
        ([path]) => ({
          file,
          path: path.replace(/<[^>]*>?/g, "x").replace(/(?<!\.)[.:]$/, ""),
        }),
      ),
    );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter(({ path }) => !ofMany.test(path) && !known.some((each) => each.test(path)))).toEqual([]);
});

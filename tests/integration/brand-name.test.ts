import { afterAll, beforeAll, expect, test } from "bun:test";
import { loginAdmin } from "../support/accounts/logins.ts";
import { type SluiceProcess, SluiceRig } from "../support/service/sluice.ts";

let rig: SluiceRig;
let service: SluiceProcess;
let cookie: string;

beforeAll(async () => {
  rig = await SluiceRig.create("http://127.0.0.1:9");
  service = await rig.start("one-process");
  cookie = (await loginAdmin(rig)).cookie;
});
afterAll(() => rig.close());

async function nameIt(value: string, version: number): Promise<number> {
  const response = await fetch(`${service.url}/backend/admin/settings/save/`, {
    method: "POST",
    headers: { cookie, origin: service.url, "content-type": "application/json" },
    body: JSON.stringify({ name: "brand.name", value, version }),
  });
  await response.arrayBuffer();
  return response.status;
}

const textOf = async (path: string): Promise<string> => await (await fetch(`${service.url}${path}`)).text();

/** Resolves once a page has the text: settings are read again every few seconds. */
async function untilShown(path: string, wanted: string): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const text = await textOf(path);
    if (text.includes(wanted)) {
      return text;
    }
    await Bun.sleep(50);
  }
  throw new Error(`${path} never had ${wanted}`);
}

test("a service with a name of its own is called so on its pages and in its API description, whatever the name", async () => {
  expect(await textOf("/login/")).toContain("Sluice");
  expect(await nameIt('Acme <b>"AI"', 0)).toBe(200);
  const page = await untilShown("/login/", "Acme &lt;b&gt;&quot;AI&quot;");
  expect(page).not.toContain("Sluice");
  expect(page).not.toContain("<b>");
  const description = JSON.parse(await textOf("/backend/openapi.json")) as { info: { title: string } };
  expect(description.info.title).toBe('Acme <b>"AI"');
}, 20_000);

test.each([
  ["empty", ""],
  ["of two lines", "Ac\nme"],
  ["that turns text around", "Ac\u202Eme"],
  ["without a letter", "---"],
  ["too long", "a".repeat(41)],
])("a name that is %s is refused", async (_, name) => {
  expect(await nameIt(name, 1)).toBe(400);
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storedFileResponse } from "@sluice/control-plane/platform/static-file.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "static-file-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function send(name: string, headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request("http://h/", { headers });
  const file = { bytes: join(folder, name), brotli: join(folder, `${name}.br`), gzip: null, contentType: "text/css" };
  return storedFileResponse(request, file, { headers: {} });
}

test("each form of a stored file is sent with its own tag, and not to a client that has it", async () => {
  await writeFile(join(folder, "a"), "plain");
  await writeFile(join(folder, "a.br"), "compressed");
  const plain = await send("a");
  const compressed = await send("a", { "accept-encoding": "gzip, br" });
  expect([await plain.text(), plain.headers.get("content-encoding")]).toEqual(["plain", null]);
  expect([await compressed.text(), compressed.headers.get("content-encoding")]).toEqual(["compressed", "br"]);
  const tags = [plain, compressed].map((response) => response.headers.get("etag") ?? "");
  expect(new Set(tags).size).toBe(2);
  const [tag = ""] = tags;
  expect((await send("a", { "if-none-match": `"other", W/${tag}` })).status).toBe(304);
  expect((await send("a", { "if-none-match": tag, "accept-encoding": "br" })).status).toBe(200);
});

test("a stored file that was sent lately is sent again without a read", async () => {
  await writeFile(join(folder, "a"), "plain");
  const first = await send("a");
  await rm(join(folder, "a"));
  const second = await send("a");
  expect(await second.text()).toBe("plain");
  expect([...second.headers]).toEqual([...first.headers]);
});

test("of the stored files that were sent, at most a megabyte stays in memory", async () => {
  const names = Array.from({ length: 12 }, (_, index) => String(index));
  await Promise.all(names.map((name) => writeFile(join(folder, name), Buffer.alloc(100_000, name))));
  await writeFile(join(folder, "large"), Buffer.alloc(1_000_001));
  for (const name of [...names, "large"]) {
    await send(name);
    await send(name);
  }
  await rm(folder, { recursive: true });
  const isKept = await Promise.all(
    [...names, "large"].map((name) =>
      send(name).then(
        () => true,
        () => false,
      ),
    ),
  );
  expect(isKept.filter(Boolean).length).toBeLessThanOrEqual(10);
  expect(isKept[0]).toBe(false);
  expect(isKept.at(-1)).toBe(false);
});

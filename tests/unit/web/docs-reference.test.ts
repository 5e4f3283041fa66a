import { describe, expect, test } from "bun:test";
import { accountPaths } from "@sluice/contracts/account-paths";
import { allLocales } from "@sluice/contracts/locales";
import { nativeRoutes } from "@sluice/contracts/native-routes";
import { type ExampleCall, exampleTabs } from "@sluice/web/src/site/docs/api/example-call.ts";
import { apiTexts } from "@sluice/web/src/site/docs/api/messages/messages.ts";
import { referenceEntries } from "@sluice/web/src/site/docs/api/reference.ts";
import { referenceSections } from "@sluice/web/src/site/docs/api/reference-sections.ts";
import { errorRows } from "@sluice/web/src/site/docs/errors/error-rows.ts";
import { snippetValues } from "@sluice/web/src/site/docs/fill-snippet.ts";

const values = snippetValues({ origin: "https://sluice.example", models: [], messages_models: [] });
const calls = nativeRoutes.filter(({ access }) => access === "api_key");

test("every route that takes an API key is in the reference, once", () => {
  const shown = referenceEntries.map(({ route }) => route as string);
  const listed = calls
    .filter(({ path }) => path !== "/v1/{path}" && (path === "/v1/usage" || !Object.hasOwn(accountPaths, path)))
    .map(({ method, path }) => `${method} ${path}`);
  expect(shown.toSorted()).toEqual(listed.toSorted());
});

test("every error that such a route can respond with is explained, once", () => {
  const explained = errorRows.flatMap(({ codes }) => codes);
  expect(new Set(explained).size).toBe(explained.length);
  const possible = [...new Set(calls.flatMap(({ errors }) => errors))];
  expect(explained.toSorted()).toEqual(possible.toSorted());
});

describe.each(allLocales)("the reference in %s", (locale) => {
  const sections = referenceSections(apiTexts[locale], values);

  test("has all parameters that the contracts name, with the required ones marked", () => {
    const rows = (id: string) =>
      (sections.find((section) => section.id === id)?.blocks ?? []).flatMap((block) =>
        block.kind === "table" ? block.rows.map(([name, type, required]) => [name, type, required]) : [],
      );
    const { yes, no } = apiTexts[locale];
    expect(rows("embeddings")).toEqual([
      ["`model`", "`string`", yes],
      ["`input`", "`string | array`", yes],
    ]);
    expect(rows("image_variations").at(-1)).toEqual(["`image`", "`file`", yes]);
    expect(rows("chat").find(([name]) => name === "`stream`")).toEqual(["`stream`", "`boolean`", no]);
    expect(rows("moderations")[0]).toEqual(["`model`", "`string`", no]);
    expect(rows("model")).toEqual([["`model`", "`string`", yes]]);
  });

  test("leaves no place unfilled, and has each anchor once", () => {
    expect(JSON.stringify(sections)).not.toMatch(/\{\{|\{(days|count|codes)\}/);
    const ids = sections.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("an example", () => {
  const call: ExampleCall = {
    client: "openai",
    method: "POST",
    path: "/v1/chat/completions",
    call: "chat.completions.create",
    body: { model: "m", stream: false, messages: [{ role: "user", content: 'It\'s "me"' }] },
    result: { field: "choices[0].message.content" },
  };
  const textOf = (example: ExampleCall, label: string) =>
    exampleTabs("x", example).find((tab) => tab.label === label)?.text ?? "";

  test("is the same request in each language", () => {
    expect(textOf(call, "Python")).toContain(
      [
        "response = client.chat.completions.create(",
        '    model="m",',
        "    stream=False,",
        '    messages=[{"role": "user", "content": "It\'s \\"me\\""}],',
        ")",
        "print(response.choices[0].message.content)",
      ].join("\n"),
    );
    expect(textOf(call, "TypeScript")).toContain(
      [
        "const response = await client.chat.completions.create({",
        '  model: "m",',
        "  stream: false,",
        '  messages: [{ role: "user", content: "It\'s \\"me\\"" }],',
        "});",
      ].join("\n"),
    );
  });

  test("quotes what a shell would take for the end of the body", () => {
    expect(textOf(call, "curl")).toContain('"content": "It\'\\\'\'s \\"me\\""');
  });

  test("sends files as a form", () => {
    const upload: ExampleCall = {
      ...call,
      path: "/v1/audio/transcriptions",
      call: "audio.transcriptions.create",
      body: { model: "m", file: { upload: "meeting.mp3" } },
    };
    expect(textOf(upload, "curl")).toEndWith('-F "model=m" \\\n  -F "file=@meeting.mp3"');
    expect(textOf(upload, "Python")).toContain('file=open("meeting.mp3", "rb")');
    expect(textOf(upload, "TypeScript")).toContain('import { createReadStream } from "node:fs";');
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { loginUser } from "../support/accounts/logins.ts";
import { waitUntil } from "../support/calls/relay-scene.ts";
import { type ConsoleScene, faultsOf, startConsoleScene } from "../support/web/console-scene.ts";

let scene: ConsoleScene;

beforeAll(async () => {
  scene = await startConsoleScene();
});

afterAll(() => scene?.close());

/** An answer with everything that must not do anything. */
const hostile = [
  "# Heading",
  "**bold** <img src=x onerror=alert(1)> [link](javascript:alert(1)) ![picture](https://example.org/spy.png)",
  "```js",
  "const answer = 42;",
  "```",
].join("\n");

/** The chunks of a stream with it until the code has begun: the role, and a word each. */
const chunksUntilCode = 1 + (hostile.slice(0, hostile.indexOf("42;")).match(/\S+\s*/g)?.length ?? 0);

/** How the service refuses a call when the limit of the key is spent. */
const limitReached = {
  status: 429,
  json: {
    error: { code: "insufficient_quota", message: "The remaining limit of this API key does not cover this call." },
  },
};

test("the playground makes its own key, compares models, and continues from a changed message", async () => {
  const { cookie, gatewayUserId } = await loginUser(scene.web.rig, { quota: 2_500_000n });
  const watched = await scene.browser.open({ url: scene.web.sluice.url, cookie, expectedStatuses: [400, 429] });
  const { page } = watched;
  const message = page.getByLabel("Message", { exact: true }).last();
  const answers = page.locator("main article");
  const costs = answers.getByText(/Cost: \$0\.0/);
  try {
    await page.goto("/console/playground/");
    await page.getByText("No messages yet").waitFor();
    expect(await faultsOf(watched)).toEqual([]);

    scene.provider.script({ text: hostile }, { times: 1 });
    await message.fill("Say hello.");
    await message.press("Control+Enter");
    await answers.locator("strong", { hasText: "bold" }).waitFor();
    await answers.locator("[data-scope=keyword]", { hasText: "const" }).waitFor();
    await costs.first().waitFor();
    expect(await answers.locator("img, script, a[href^=javascript]").count()).toBe(0);
    expect(await answers.getByText("<img src=x onerror=alert(1)>").count()).toBe(1);
    expect(await faultsOf(watched)).toEqual([]);
    // The key is the user's own, limited, and only this tab knows it.
    const made = await scene.web.rig.db.sql<{ name: string; per_minute: number; is_ending: boolean }>`
      select name, requests_per_minute as per_minute, expires_at < now() + interval '25 hours' as is_ending
      from api_key where gateway_user_id = ${gatewayUserId}::bigint`;
    expect(made).toEqual([{ name: "Playground", per_minute: 60, is_ending: true }]);
    expect(await page.content()).not.toContain("sk-");
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("sk-");

    await page.getByRole("button", { name: "Compare another model" }).click();
    await page.getByLabel("System prompt").fill("Be brief.");
    await page.getByLabel("Temperature").fill("0.5");
    await message.fill("sandbox: say Both of us.");
    await page.getByRole("button", { name: "Send" }).click();
    await answers.getByText("Both of us.").nth(1).waitFor();
    await costs.nth(2).waitFor();
    const asked = scene.provider.requests.at(-1)?.request.jsonObject ?? {};
    expect(asked).toMatchObject({ temperature: 0.5, messages: [{ role: "system", content: "Be brief." }, {}, {}, {}] });
    expect(await faultsOf(watched)).toEqual([]);

    await page.getByRole("button", { name: "Regenerate" }).first().click();
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    expect(await answers.count()).toBe(3);

    // The first message is changed: what came after it is gone.
    await page.getByRole("button", { name: "Edit" }).first().click();
    await page.getByLabel("Message", { exact: true }).first().fill("sandbox: say Changed.");
    await page.getByRole("button", { name: "Send" }).first().click();
    await answers.getByText("Changed.").nth(1).waitFor();
    expect(await answers.count()).toBe(2);

    // Markdown is drawn while it arrives, and its code has colours once it is complete. Escape stops.
    scene.provider.script({ text: hostile, silence: { afterChunks: chunksUntilCode } }, { times: 2 });
    await message.fill("Begin.");
    await message.press("Control+Enter");
    await answers.locator("code", { hasText: "const answer" }).nth(1).waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    expect(await answers.locator("strong", { hasText: "bold" }).count()).toBe(2);
    expect(await answers.locator("[data-scope=keyword]").count()).toBe(0);
    expect(await faultsOf(watched)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByText("Stopped. What was received so far is charged.").nth(1).waitFor();
    // After a 429 the next calls of a customer would be refused for a second, too.
    await message.fill("sandbox: status 400");
    await message.press("Control+Enter");
    await page.getByRole("alert").getByRole("link", { name: "What this error means" }).nth(1).waitFor();
    expect(await faultsOf(watched)).toEqual([]);

    // A key whose limit is spent is replaced, and no longer listed.
    await page.route("**/v1/chat/completions", async (route) => await route.fulfill(limitReached), { times: 2 });
    await message.fill("sandbox: say Renewed.");
    await message.press("Control+Enter");
    await page.getByText("The key of this page has reached its limit.").nth(1).waitFor();
    await page.getByRole("button", { name: "Try again" }).last().click();
    await answers.getByText("Renewed.").waitFor();
    const keys = await scene.web.rig.db.sql<{ status: string }>`
      select status from api_key where gateway_user_id = ${gatewayUserId}::bigint order by id`;
    expect(keys).toEqual([{ status: "revoked" }, { status: "active" }]);

    // A reload keeps what was typed.
    await page.getByLabel("Max tokens").fill("20");
    await message.fill("A draft.");
    await page.reload();
    expect(await message.inputValue()).toBe("A draft.");
    expect(await page.getByLabel("Max tokens").inputValue()).toBe("20");
  } finally {
    await watched.close();
  }
});

/** A picture of one dot. */
const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Whether the browser keeps two files of a message that was not sent. It runs in the page. */
const keepsTwoFiles = `(async () => {
  if (!(await indexedDB.databases()).some(({ name }) => name === "playground")) {
    return false;
  }
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const database = await done(indexedDB.open("playground"));
  const kept = await done(database.transaction("files").objectStore("files").getAll());
  database.close();
  return kept.some(({ attachments }) => attachments.length === 2);
})()`;

test("the playground sends files, tools and a schema, shows the call as code, and keeps it in the browser", async () => {
  const { cookie } = await loginUser(scene.web.rig, { quota: 2_500_000n });
  const watched = await scene.browser.open({ url: scene.web.sluice.url, cookie });
  const { page } = watched;
  const message = page.getByLabel("Message", { exact: true });
  const answers = page.locator("main article");
  const dialog = page.locator("dialog[open]");
  const lastAsked = () => scene.provider.requests.at(-1)?.request.jsonObject ?? {};
  try {
    await page.goto("/console/playground/");
    await page.getByText("No messages yet").waitFor();
    const files = page.locator("input[type=file]");
    await files.setInputFiles([{ name: "a.zip", mimeType: "application/zip", buffer: dot }]);
    await page.getByText("a.zip is not an image, a PDF or a text file.").waitFor();
    await files.setInputFiles([
      { name: "dot.png", mimeType: "image/png", buffer: dot },
      { name: "note.md", mimeType: "text/markdown", buffer: Buffer.from("A note.") },
    ]);
    await page.getByRole("button", { name: "Remove note.md" }).waitFor();
    expect(await page.getByText("a.zip").count()).toBe(0);
    // A reload loses nothing that was chosen.
    await waitUntil(async () => await page.evaluate<boolean>(keepsTwoFiles));
    await page.reload();
    await page.getByRole("button", { name: "Remove note.md" }).waitFor();
    await page.getByRole("button", { name: "Remove dot.png" }).waitFor();

    await page.getByText("Tools", { exact: true }).first().click();
    await page.getByRole("button", { name: "Insert an example" }).first().click();
    await page.getByText("Response schema", { exact: true }).first().click();
    await page.getByLabel("Response schema").fill("[");
    await page.getByText("This is not valid JSON.").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.getByLabel("Response schema").fill('{"type":"object"}');
    await message.fill("sandbox: tool get_weather");
    await message.press("Control+Enter");
    await page.getByLabel("Result of get_weather").fill("Sunny");
    expect(lastAsked()).toMatchObject({
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: `data:image/png;base64,${dot.toString("base64")}` } },
            { type: "text", text: "note.md:\n\nA note." },
            { type: "text", text: "sandbox: tool get_weather" },
          ],
        },
      ],
      tools: [{ type: "function", function: { name: "get_weather" } }],
      response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
    });
    expect(await faultsOf(watched)).toEqual([]);
    scene.provider.script({ text: '{"answer":"It is sunny."}' }, { times: 1 });
    await page.getByRole("button", { name: "Send the results" }).click();
    await answers.getByText("It is sunny.").waitFor();
    expect(lastAsked()).toMatchObject({ messages: [{}, { role: "assistant" }, { role: "tool", content: "Sunny" }] });
    await answers
      .getByText(/Cost: \$0\.0/)
      .nth(1)
      .waitFor();

    await page.getByRole("button", { name: "Code", exact: true }).click();
    await dialog.getByRole("tab", { name: "Java" }).click();
    await dialog.getByText("OpenAIOkHttpClient").first().waitFor();
    await dialog.getByText("The code does not include images and files.").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await page.keyboard.press("Escape");

    // A reload shows the same conversation; another user of the browser sees none.
    await page.reload();
    await answers.getByText("It is sunny.").waitFor();
    await answers
      .getByText(/Cost: \$0\.0/)
      .nth(1)
      .waitFor();
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByText("No messages yet").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await dialog.getByText("sandbox: tool get_weather").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
    await dialog.getByRole("button", { name: /^Open/ }).click();
    await answers.getByText("It is sunny.").waitFor();
    await page.getByRole("button", { name: "History" }).click();
    await dialog.getByRole("button", { name: /^Delete: / }).click();
    await dialog.getByText("No conversations yet").waitFor();
    expect(watched.faults).toEqual([]);

    // A browser that stores nothing says so, for the files and for the conversation.
    await page.addInitScript("Object.defineProperty(window, 'indexedDB', { value: undefined })");
    await page.reload();
    await files.setInputFiles([{ name: "dot.png", mimeType: "image/png", buffer: dot }]);
    await page.getByText("This browser did not store the files.").waitFor();
    await message.fill("sandbox: say Here.");
    await message.press("Control+Enter");
    await page.getByText("This browser stores nothing for this site").waitFor();
    await answers.getByText("Here.").waitFor();
    expect(await faultsOf(watched)).toEqual([]);
  } finally {
    await watched.close();
  }
});

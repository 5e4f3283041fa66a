import { expect, test } from "bun:test";
import { curlCommand } from "@sluice/web/src/admin/pages/trace-detail/curl-command.ts";

const call = { method: "POST", path: "/v1/chat/completions", origin: "https://gateway.example" };
const text = (content: string) => ({ encoding: "text", content, bytes: content.length, is_truncated: false }) as const;

test("the command of a traced request sends exactly its body, whatever a shell would make of it, and has no key", async () => {
  const body = `{"q": "it's $HOME \`id\` \\n", "b": "new\nline"}`;
  const command = curlCommand({ ...call, body: text(body) }) ?? "";
  const shell = Bun.spawnSync(["sh", "-c", `curl() { printf '%s\\0' "$@"; }; ${command}`], {
    env: { GATEWAY_API_KEY: "of-the-admin" },
  });
  expect(shell.stdout.toString().split("\0").slice(0, -1)).toEqual([
    "-X",
    "POST",
    "https://gateway.example/v1/chat/completions",
    "-H",
    "Authorization: Bearer of-the-admin",
    "-H",
    "Content-Type: application/json",
    "--data-raw",
    body,
  ]);
});

test("a body that is not text, or was stored in part, makes no command", () => {
  expect(curlCommand({ ...call, body: { ...text("AAAA"), encoding: "base64" } })).toBeNull();
  expect(curlCommand({ ...call, body: { ...text("{"), is_truncated: true } })).toBeNull();
  expect(curlCommand({ ...call, method: "GET", body: null })).toBe(
    `curl -X GET 'https://gateway.example/v1/chat/completions' \\\n  -H "Authorization: Bearer $GATEWAY_API_KEY"`,
  );
});

export type Welcome = {
  readonly url: string;
  readonly apiKey: string | null;
  readonly userEmail: string | null;
  /** Of the user, when this start has made it; it can be read nowhere else. */
  readonly userPassword: string | null;
  readonly isSandbox: boolean;
  /** The admin that this start has made; its password can be read nowhere else. */
  readonly admin: FirstAdmin | null;
};

export type FirstAdmin = { readonly username: string; readonly password: string };

/** What the seed says of the admin it made, or null when it made none. */
export function readFirstAdmin(said: unknown): FirstAdmin | null {
  if (typeof said !== "object" || said === null || !("username" in said) || !("password" in said)) {
    return null;
  }
  const { username, password } = said;
  return typeof username === "string" && typeof password === "string" ? { username, password } : null;
}

const unknownKey = "<API key>";

/** What the person who started the service needs next. This is the only thing that goes to stdout. */
export function welcomeText(welcome: Welcome): string {
  const { url, apiKey, userEmail, userPassword, isSandbox, admin } = welcome;
  const shown = userPassword === null ? "" : `, password ${userPassword} (shown only now)`;
  const body = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}';
  const rows = [
    ["Address", url],
    ["API key", apiKey === null ? "was shown by the first start, and only its hash is kept" : apiKey],
    ...(userEmail === null ? [] : [["User", `${userEmail}${shown}`]]),
    ...(admin === null ? [] : [["Admin", `${admin.username}, password ${admin.password} (shown only now)`]]),
    [
      "Provider",
      isSandbox ? "a sandbox that makes its answers up; PROVIDER_API_KEY=... asks a real one" : "as configured",
    ],
    ["Stop", "Ctrl-C"],
  ];
  return [
    "",
    ...rows.map(([title, text]) => `  ${String(title).padEnd(10)}${text}`),
    "",
    "  Try it:",
    `  curl ${url}/v1/chat/completions -H "Authorization: Bearer ${apiKey ?? unknownKey}" ` +
      `-H "Content-Type: application/json" -d '${body}'`,
    "",
    "",
  ].join("\n");
}

import { commandLine } from "./service-root.ts";

type FirstAdmin = { readonly username: string; readonly password: string };

type FirstUser = {
  readonly userEmail: string | null;
  /** The password of the user; set only by the start that created it, and shown nowhere else. */
  readonly userPassword: string | null;
  /** The admin that this start has created; the password is shown nowhere else. */
  readonly admin: FirstAdmin | null;
};

export type Welcome = FirstUser & {
  readonly url: string;
  readonly apiKey: string | null;
  readonly isSandbox: boolean;
};

type State = {
  readonly hasAdmin: boolean;
  /** Whether a call to any model would find a channel. */
  readonly isServed: boolean;
};

type Said = Readonly<Record<string, unknown>>;

/** The accounts that the seed created for trying out. */
export function readFirstUser({ userEmail, userPassword, admin }: Said): FirstUser {
  return {
    userEmail: typeof userEmail === "string" ? userEmail : null,
    userPassword: typeof userPassword === "string" ? userPassword : null,
    admin: readFirstAdmin(admin),
  };
}

function readFirstAdmin(parsed: unknown): FirstAdmin | null {
  if (typeof parsed !== "object" || parsed === null || !("username" in parsed) || !("password" in parsed)) {
    return null;
  }
  const { username, password } = parsed;
  return typeof username === "string" && typeof password === "string" ? { username, password } : null;
}

/** What already exists, according to the seed. */
export function readState({ hasAdmin, isServed }: Said): State {
  return { hasAdmin: hasAdmin === true, isServed: isServed === true };
}

const unknownKey = "<API key>";
const sandboxText = "a sandbox with made-up answers; set PROVIDER_API_KEY=... to use a real provider";

/** What the person who started the service needs next. Nothing else is written to stdout. */
export function welcomeText(welcome: Welcome): string {
  const { url, apiKey, userEmail, userPassword, isSandbox, admin } = welcome;
  const shown = userPassword === null ? "" : `, password ${userPassword} (shown only now)`;
  return text([
    ...rows([
      ["Address", url],
      ["API key", apiKey === null ? "was shown by the first start, and only its hash is kept" : apiKey],
      ...(userEmail === null ? [] : [["User", `${userEmail}${shown}`] as const]),
      ...(admin === null ? [] : [["Admin", `${admin.username}, password ${admin.password} (shown only now)`] as const]),
      ["Provider", isSandbox ? sandboxText : "as configured"],
      ["Stop", "Ctrl-C"],
    ]),
    "",
    "  Try it:",
    firstCall(url, apiKey ?? unknownKey),
  ]);
}

/** The text in production, where no secret is printed: it says what exists, and what is still to be done. */
export function productionText({
  url,
  hasAdmin,
  isServed,
  isSandbox,
}: State & { readonly url: string; readonly isSandbox: boolean }): string {
  const provider = isSandbox
    ? sandboxText
    : isServed
      ? "as configured"
      : `none: no channel serves a model yet, so every call is refused; add one at ${url}/admin/upstreams/`;
  const steps = [
    ...(hasAdmin ? [] : [`Create an admin: ${commandLine("admin:create")} --username NAME --super`]),
    ...(isServed ? [] : [`Log in at ${url}/admin/, add a channel under Channels, and add a model to it`]),
    `Create a key at ${url}/console/keys/ as a user with a balance (an admin can add one under Adjust balance), and call:`,
  ];
  return text([
    ...rows([
      ["Address", url],
      ["Admin", hasAdmin ? `${url}/admin/` : "none yet"],
      ["Provider", provider],
    ]),
    "",
    "  Next:",
    ...steps.map((step, at) => `  ${at + 1}. ${step}`),
    firstCall(url, unknownKey),
  ]);
}

function rows(pairs: readonly (readonly [title: string, value: string])[]): string[] {
  return pairs.map(([title, value]) => `  ${title.padEnd(10)}${value}`);
}

function firstCall(url: string, apiKey: string): string {
  const body = '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}';
  return (
    `  curl ${url}/v1/chat/completions -H "Authorization: Bearer ${apiKey}" ` +
    `-H "Content-Type: application/json" -d '${body}'`
  );
}

function text(lines: readonly string[]): string {
  return ["", ...lines, "", ""].join("\n");
}

/** The pages of the logins, as forms that work without script. */
import { privatePageHeaders } from "./page-headers.ts";
import type { FormAssets } from "./web-build.ts";

type LoginState = {
  readonly email: string;
  readonly next: string;
  readonly problem: string | null;
  readonly notice: string | null;
  readonly asksForCode: boolean;
};

type ResetState = { readonly token: string; readonly problem: string | null };

type AdminLoginState = {
  readonly login: string;
  readonly next: string;
  readonly problem: string | null;
  readonly asksForCode: boolean;
};

type FormPage = {
  readonly title: string;
  readonly body: string;
  readonly status: number;
  readonly area?: "admin";
  /** Null where the web is not built; the forms then look plain. */
  readonly assets: FormAssets | null;
};

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
}

const mark =
  '<svg class="brand-mark" viewBox="0 0 18 18" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="M2 2v14M16 2v14M5.5 5.5h7M5.5 9h4.5M5.5 12.5h2"/></svg>';

function page({ title, body, status, area, assets }: FormPage): Response {
  const loaded =
    assets === null
      ? ""
      : `<script src="${assets.bootTheme}"></script>
<link rel="stylesheet" href="${assets.stylesheet}">
<link rel="icon" href="${assets.icon}" type="image/svg+xml">`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} - Sluice</title>
${loaded}
</head>
<body class="form-page"${area === undefined ? "" : ` data-area="${area}"`}>
<header><a class="brand" href="/">${mark}<span>Sluice</span></a></header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new Response(html, { status, headers: { ...privatePageHeaders, "content-type": "text/html; charset=utf-8" } });
}

function problemText(problem: string | null): string {
  return problem === null ? "" : `<p class="notice" data-tone="bad" role="alert">${escapeText(problem)}</p>`;
}

function noticeText(notice: string | null): string {
  return notice === null ? "" : `<p class="notice" data-tone="ok" role="status">${escapeText(notice)}</p>`;
}

/** A field with its label; the attributes are our own text. */
function field(name: string, label: string, attributes: string): string {
  return `<div class="field"><label class="field-label" for="${name}">${label}</label>
<input class="input" id="${name}" name="${name}" ${attributes}></div>`;
}

const button = (text: string): string => `<button class="button" data-variant="primary">${text}</button>`;
const codeField = field(
  "code",
  "Code of your authenticator",
  'inputmode="numeric" autocomplete="one-time-code" required autofocus',
);

/** The login; with the field of a code once it is known that one is needed. */
export function loginPage(state: LoginState, status: number, assets: FormAssets | null): Response {
  const { email, next, problem, notice, asksForCode } = state;
  const body = `${noticeText(notice)}${problemText(problem)}
<form method="post" action="/login/">
<input type="hidden" name="next" value="${escapeText(next)}">
${field("email", "E-mail", `type="email" autocomplete="username" required value="${escapeText(email)}"`)}
${field("password", "Password", 'type="password" autocomplete="current-password" required')}
${asksForCode ? codeField : ""}
${button("Log in")}
</form>
<p><a href="/reset-password/">Forgot the password?</a></p>`;
  return page({ title: "Log in", body, status, assets });
}

/** A new password behind a link; without one, the form that asks for it. */
export function resetPage({ token, problem }: ResetState, status: number, assets: FormAssets | null): Response {
  const fields =
    token === ""
      ? `${field("email", "E-mail", 'type="email" autocomplete="username" required')}
${button("Send a link")}`
      : `<input type="hidden" name="token" value="${escapeText(token)}">
${field("password", "New password", 'type="password" autocomplete="new-password" minlength="8" required')}
${button("Set the password")}`;
  const body = `${problemText(problem)}
<form method="post" action="/reset-password/">
${fields}
</form>`;
  return page({ title: "New password", body, status, assets });
}

/** The login of admins. It says nothing of what lies behind it, nor which of the fields was wrong. */
export function adminLoginPage(state: AdminLoginState, status: number, assets: FormAssets | null): Response {
  const { login, next, problem, asksForCode } = state;
  const body = `${problemText(problem)}
<form method="post" action="/admin/login/">
<input type="hidden" name="next" value="${escapeText(next)}">
${field("login", "Username, e-mail or mobile number", `autocomplete="username" autocapitalize="none" spellcheck="false" required value="${escapeText(login)}"`)}
${field("password", "Password", 'type="password" autocomplete="current-password" required')}
${asksForCode ? codeField : ""}
${button("Log in")}
</form>`;
  return page({ title: "Admin", body, status, area: "admin", assets });
}

/** The pages of the login, as forms that work without script. */

type LoginState = {
  readonly email: string;
  readonly next: string;
  readonly problem: string | null;
  readonly notice: string | null;
  readonly asksForCode: boolean;
};

type ResetState = { readonly token: string; readonly problem: string | null };

const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const style = `
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 24rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; }
label { display: block; margin: 1rem 0 .25rem; }
input { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; }
button { margin-top: 1.25rem; padding: .5rem 1.25rem; font: inherit; }
[role] { padding: .5rem .75rem; border: 1px solid currentColor; border-radius: 6px; }
`;

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

function page(title: string, body: string, status: number): Response {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Sluice</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    },
  });
}

function problemText(problem: string | null): string {
  return problem === null ? "" : `<p role="alert">${escapeText(problem)}</p>`;
}

/** The login; with the field of a code once it is known that one is needed. */
export function loginPage(state: LoginState, status: number): Response {
  const { email, next, problem, notice, asksForCode } = state;
  const code = `<label for="code">Code of your authenticator</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required>`;
  const body = `${notice === null ? "" : `<p role="status">${escapeText(notice)}</p>`}${problemText(problem)}
<form method="post" action="/login/">
<input type="hidden" name="next" value="${escapeText(next)}">
<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escapeText(email)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
${asksForCode ? code : ""}
<button>Log in</button>
</form>
<p><a href="/reset-password/">Forgot the password?</a></p>`;
  return page("Log in", body, status);
}

/** A new password behind a link; without one, the form that asks for it. */
export function resetPage({ token, problem }: ResetState, status: number): Response {
  const fields =
    token === ""
      ? `<label for="email">E-mail</label>
<input id="email" name="email" type="email" autocomplete="username" required>
<button>Send a link</button>`
      : `<input type="hidden" name="token" value="${escapeText(token)}">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" required>
<button>Set the password</button>`;
  const body = `${problemText(problem)}
<form method="post" action="/reset-password/">
${fields}
</form>`;
  return page("New password", body, status);
}

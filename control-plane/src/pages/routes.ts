import { Elysia } from "elysia";

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice</title>
<style>
:root { color-scheme: light dark; font: 16px/1.6 system-ui, sans-serif; }
body { max-width: 38rem; margin: 12vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.5rem; }
pre { overflow-x: auto; padding: 1rem; border: 1px solid color-mix(in srgb, currentColor 25%, transparent); border-radius: 6px; }
code { font: 14px/1.5 ui-monospace, monospace; }
</style>
</head>
<body>
<main>
<h1>Sluice</h1>
<p>This is a gateway to model APIs. Programs reach it at <code>/v1</code> with any OpenAI client and an API key of this service.</p>
<pre><code>curl {origin}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Hello"}]}'</code></pre>
<p>Which models a key may use: <code>GET /v1/models</code>.</p>
</main>
</body>
</html>
`;

const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page at `/`: what this is, for a person who opens the address in a browser. */
export function pageRoutes() {
  return new Elysia({ name: "pages" }).get("/", ({ request }) => {
    const origin = URL.canParse(request.url) ? new URL(request.url).origin : "";
    // An origin has no characters that mean anything in HTML.
    const text = page.replace("{origin}", () => origin);
    return new Response(text, {
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": contentSecurityPolicy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
      },
    });
  });
}

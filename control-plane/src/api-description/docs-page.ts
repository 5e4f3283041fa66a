import type { JsonSchema } from "@sluice/contracts/native-route";
import { type Html, html } from "../platform/html.ts";
import { curlExample } from "./curl-example.ts";
import type { ApiDocument, Json, Operation } from "./model.ts";
import { isError } from "./shared-parts.ts";
import { trialOf } from "./trial.ts";

/** The colours and sizes are those of the public site. */
const style = html`
:root { color-scheme: light dark; font: 16px/1.6 ui-sans-serif, system-ui, sans-serif;
  --bg: light-dark(#fdfcfb, #0d0e12); --sunk: light-dark(#f5f4f1, #08090c); --line: light-dark(#e1e0db, #26292e);
  --ink: light-dark(#16181e, #f1f0ed); --ink-2: light-dark(#4c5058, #b2b4b9); --accent: light-dark(#096056, #6ce6d1); --edge: light-dark(#8b8982, #656970); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { border-block-end: 1px solid var(--line); }
header > nav, main { max-width: 64rem; margin: 0 auto; padding: 0 1.25rem; }
header > nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem; align-items: center; min-height: 3.5rem; font-size: .875rem; }
header a { display: inline-flex; align-items: center; min-height: 2rem; color: var(--ink-2); text-decoration: none; }
header a:first-child { color: var(--ink); font-size: 1rem; font-weight: 600; }
main { padding-block: 2.5rem 6rem; }
h1 { margin: 0 0 1rem; font-size: 2.25rem; line-height: 1.2; letter-spacing: -.02em; }
h2 { margin: 3.5rem 0 .5rem; font-size: 1.5rem; line-height: 1.3; letter-spacing: -.02em; }
h3 { margin: 2rem 0 .5rem; font-size: 1rem; } h4 { margin: 1rem 0 .25rem; font-size: .875rem; }
p, li { color: var(--ink-2); }
main nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; font-size: .875rem; }
main nav a { display: inline-block; min-height: 1.5rem; }
details { border: 1px solid var(--line); border-radius: .625rem; margin: .5rem 0; }
summary { padding: .5rem .75rem; cursor: pointer; overflow-wrap: anywhere; }
details > div { padding: 0 .75rem .75rem; }
b { display: inline-block; min-width: 3.75rem; font: 600 .8125rem/1 ui-monospace, monospace; }
code { font: .8125rem/1.6 ui-monospace, monospace; }
small { margin-inline-start: .5rem; color: var(--ink-2); }
pre { padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .625rem; background: var(--sunk);
  font: .8125rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.group > summary { font-weight: 600; } .group > summary > h3 { display: inline; margin: 0; }
.group > div { scroll-margin-top: 4rem; }
[hidden] { display: none !important; }
search { display: block; margin-block: 1.5rem; } label { display: block; margin-block: .75rem .25rem; font-size: .875rem; font-weight: 500; }
input, textarea { width: 100%; max-width: 40rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: .375rem; background: var(--bg);
  color: var(--ink); font: .875rem/1.5 ui-sans-serif, system-ui, sans-serif; }
textarea { display: block; min-height: 8rem; font-family: ui-monospace, monospace; }
button { min-height: 2rem; margin: .75rem .5rem .25rem 0; padding: 0 .75rem; border: 1px solid var(--edge); border-radius: .375rem;
  background: var(--bg); color: var(--ink); font: 500 .875rem/1 ui-sans-serif, system-ui, sans-serif; cursor: pointer; }
button[data-primary] { border-color: var(--accent); background: var(--accent); color: var(--bg); } button:disabled { opacity: .6; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { padding: .375rem 1rem .375rem 0; border-block-end: 1px solid var(--line); text-align: start; vertical-align: top; overflow-wrap: anywhere; }
`;

const styleHash = new Bun.CryptoHasher("sha256").update(style.toString()).digest("base64");

/**
 * The page contains its own styles; it loads one script of ours if the web is built, which sends what the visitor tries to
 * this service, and nothing else from anywhere.
 */
export function docsPolicy(hasScript: boolean): string {
  const own = hasScript ? " script-src 'self'; connect-src 'self';" : "";
  return `default-src 'none'; style-src 'sha256-${styleHash}';${own} base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Text in which backquotes mark code and each line is a paragraph. */
function prose(text: string): Html {
  const lines = text.split("\n").map((line) => {
    const parts = line.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
    return html`${parts}`;
  });
  return html`${lines.map((line, index) => (index === 0 ? line : html`<br>${line}`))}`;
}

const anchorOf = (tag: string): string => `group-${tag.replace(/[^a-z0-9]+/gi, "-")}`;

/** A readable schema; the schemas it refers to are at the end of the page. */
function schemaText(schema: unknown): Html {
  const parts = JSON.stringify(schema, null, 1).split(/"#\/components\/schemas\/(\w+)"/);
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<a href="#schema-${part}">${part}</a>` : part))}`;
}

/** A part of an operation, resolved if it is a reference to a shared one. */
function resolved(part: Json, { components }: ApiDocument): Json {
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(\w+)$/.exec(String(part["$ref"])) ?? [];
  return components[kind as "responses" | "parameters" | "schemas"]?.[name] ?? part;
}

/** A request or response whose whole schemas are in place; the schemas that those refer to are at the end of the page. */
function withSchemas(part: Json, document: ApiDocument): Json {
  const contents = Object.entries((part["content"] ?? {}) as Record<string, { readonly schema: Json }>);
  const shown = contents.map(([type, { schema }]) => [type, { schema: resolved(schema, document) }]);
  return { ...part, content: Object.fromEntries(shown) };
}

type Shown = { readonly path: string; readonly method: string; readonly operation: Operation };

/** Who calls an operation: customers and their programs, or those who run the service. */
const isForOperators = ({ path, operation }: Shown): boolean =>
  ["admin", "super_admin", "metrics_token"].includes(operation["x-access"]) || path.includes("/admin/");

const parts = [
  {
    id: "customers",
    title: "For customers",
    text: "Calls with an API key, and what users and their programs do in the console.",
    isFor: (shown: Shown) => !isForOperators(shown),
  },
  {
    id: "operators",
    title: "For operators",
    text: "What admins do, and what monitoring reads.",
    isFor: isForOperators,
  },
] as const;

/**
 * The whole description as a page that can be read without JavaScript: operations by caller and group, both expandable. With
 * a script they can be searched and tried.
 */
export function docsPage(document: ApiDocument, scriptPath: string | null): string {
  const { info, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Shown => ({ path, method, operation })),
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API - ${info.title}</title>
<style>${style}</style>
${scriptPath === null ? null : html`<script type="module" src="${scriptPath}"></script>`}
</head>
<body>
<header><nav aria-label="Site"><a href="/">${info.title}</a><a href="/docs/">Docs</a><a href="/docs/api/">Calling models</a><a href="/console/">Console</a></nav></header>
<main>
<h1>The API of ${info.title}</h1>
<p>${prose(info.description.replaceAll("\n", " "))}</p>
<p>For programs: <a href="/backend/openapi.json">openapi.json</a></p>
<search hidden><label for="find">Find an operation</label>
<input id="find" type="search" autocomplete="off" maxlength="100"><p id="found" role="status"></p></search>
<nav aria-label="Groups">${parts.map((part) => groupLinks(part, operations, document))}
<ul><li><a href="#errors">errors</a></li><li><a href="#schemas">schemas</a></li></ul></nav>
${parts.map((part) => partSections(part, operations, document))}
${commonSections(components.schemas)}
</main>
</body>
</html>
`.toString();
}

/** The groups of a part with their operations, in the order of the description. */
function groupsOf(part: (typeof parts)[number], all: readonly Shown[], { tags }: ApiDocument) {
  const own = all.filter(part.isFor);
  return tags
    .map(({ name }) => ({ name, shown: own.filter(({ operation }) => operation.tags[0] === name) }))
    .filter(({ shown }) => shown.length > 0);
}

function groupLinks(part: (typeof parts)[number], all: readonly Shown[], document: ApiDocument): Html {
  const links = groupsOf(part, all, document).map(
    ({ name }) => html`<li><a href="#${part.id}-${anchorOf(name)}">${name}</a></li>`,
  );
  return html`<p><a href="#${part.id}">${part.title}</a></p><ul>${links}</ul>`;
}

function partSections(part: (typeof parts)[number], all: readonly Shown[], document: ApiDocument): Html {
  const groups = groupsOf(part, all, document).map(
    ({
      name,
      shown,
    }) => html`<details class="group"><summary><h3>${name}</h3><small>${shown.length}</small></summary><div id="${part.id}-${anchorOf(name)}">
${shown.map(({ path, method, operation }) => operationBlock(path, method, withParts(operation, document)))}</div></details>
`,
  );
  return html`<section><h2 id="${part.id}">${part.title}</h2><p>${part.text}</p>
${groups}</section>
`;
}

/** An operation with its parameters and responses. */
function withParts(operation: Operation, document: ApiDocument): Operation {
  const { parameters, requestBody, responses } = operation;
  const answers = Object.entries(responses).map(([status, answer]) => [
    status,
    withSchemas(resolved(answer, document), document),
  ]);
  return {
    ...operation,
    ...(parameters === undefined ? {} : { parameters: parameters.map((each) => resolved(each, document)) }),
    ...(requestBody === undefined ? {} : { requestBody: withSchemas(requestBody, document) }),
    responses: Object.fromEntries(answers),
  };
}

/** What each error code means, and the schemas that others refer to. */
function commonSections(schemas: JsonSchema): Html {
  const { ErrorCode: codes, ...forms } = schemas as Record<string, JsonSchema>;
  const rows = ((codes?.["oneOf"] ?? []) as JsonSchema[]).map(
    (code) => html`<tr><td><code>${String(code["const"])}</code></td><td>${String(code["description"])}</td></tr>`,
  );
  const blocks = Object.entries(forms).map(
    // A link to what is inside opens it.
    ([name, form]) =>
      html`<details><summary><code>${name}</code></summary><div><pre id="schema-${name}">${schemaText(form)}</pre></div></details>`,
  );
  return html`<section><h2 id="errors">Errors</h2><details class="group"><summary>${rows.length} codes</summary><div><table id="schema-ErrorCode">${rows}</table></div></details></section>
<section><h2 id="schemas">Schemas</h2><details class="group"><summary>${blocks.length} schemas</summary><div>${blocks}</div></details></section>`;
}

function operationBlock(path: string, method: string, operation: Operation): Html {
  const access = operation["x-access"].replaceAll("_", " ") + (operation["x-fresh-login"] ? ", recent login" : "");
  const guarded = operation["x-guarded-fields"] ?? [];
  const bytesMax = operation["x-body-bytes-max"];
  const limits = [
    ...(bytesMax === null ? [] : [`Body: at most ${bytesMax.toLocaleString("en")} bytes.`]),
    ...(guarded.length === 0 ? [] : [`Only super-admins with a recent login can send ${guarded.join(", ")}.`]),
    ...operation["x-limits"],
  ];
  const trial = trialOf(path, method, operation);
  return html`<details id="${operation.operationId}">
<summary><b>${method.toUpperCase()}</b> <code>${path}</code><small>${access}</small></summary>
<div${trial === null ? null : html` data-trial="${JSON.stringify(trial)}"`}><p>${prose(operation.summary)}</p>
<h4>Example</h4><pre><code>${curlExample(path, method, operation)}</code></pre>
${limits.length === 0 ? null : html`<p>${prose(limits.join(" "))}</p>`}
${parameterTable(operation)}${requestBlocks(operation)}${answerBlocks(operation)}</div>
</details>
`;
}

function parameterTable({ parameters = [] }: Operation): Html | null {
  if (parameters.length === 0) {
    return null;
  }
  const rows = parameters.map(
    ({ name, in: place, required, schema }) =>
      html`<tr><td><code>${String(name)}</code></td><td>${String(place)}${required === true ? ", required" : ""}</td><td><code>${JSON.stringify(schema)}</code></td></tr>`,
  );
  return html`<h4>Parameters</h4><table>${rows}</table>`;
}

function requestBlocks({ requestBody }: Operation): Html | null {
  return requestBody === undefined ? null : html`<h4>Body</h4>${contentBlocks(requestBody["content"])}`;
}

function answerBlocks({ responses }: Operation): Html[] {
  return Object.entries(responses).map(([status, { description, content }]) => {
    // The error format is shown once, at the end; only the codes matter here.
    const shown = isError(status) ? null : contentBlocks(content);
    return html`<h4>${status}</h4><p>${prose(String(description))}</p>${shown}`;
  });
}

function contentBlocks(content: unknown): Html[] {
  const contents = Object.entries((content ?? {}) as Record<string, { readonly schema: JsonSchema }>);
  return contents.map(([type, { schema }]) => html`<p><code>${type}</code></p><pre>${schemaText(schema)}</pre>`);
}

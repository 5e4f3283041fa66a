import type { JsonSchema } from "@sluice/contracts/native-route";
import { type Html, html } from "../platform/html.ts";
import type { ApiDocument, Json, Operation } from "./model.ts";
import { isError } from "./shared-parts.ts";

const style = html`
:root { color-scheme: light dark; font: 16px/1.55 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 6rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
details { border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 6px; margin: .5rem 0; }
summary { padding: .5rem .75rem; cursor: pointer; overflow-wrap: anywhere; }
summary:focus-visible { outline: 2px solid; }
details > div { padding: 0 .75rem .75rem; }
b { display: inline-block; min-width: 3.5rem; font: 600 13px/1 ui-monospace, monospace; }
code { font: 14px/1.5 ui-monospace, monospace; }
small { opacity: .75; margin-left: .5rem; }
pre { overflow-x: auto; padding: .75rem; border-radius: 6px; background: color-mix(in srgb, currentColor 6%, transparent); }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; }
`;

const styleHash = new Bun.CryptoHasher("sha256").update(style.toString()).digest("base64");

/** The page contains its own styles and nothing else: no script, no image, no external URL. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

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

/** The whole description as a page that needs no JavaScript: operations by group, each expandable. */
export function docsPage(document: ApiDocument): string {
  const { info, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const groups = tags.map(({ name }) => {
    const some = operations.filter(({ operation }) => operation.tags[0] === name);
    return html`<section><h2 id="${anchorOf(name)}">${name}</h2>
${some.map(({ path, method, operation }) => operationBlock(path, method, withParts(operation, document)))}</section>
`;
  });
  const links = tags.map(({ name }) => html`<li><a href="#${anchorOf(name)}">${name}</a></li>`);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API - ${info.title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>The API of ${info.title}</h1>
<p>${prose(info.description.replaceAll("\n", " "))}</p>
<p>For programs: <a href="/backend/openapi.json">openapi.json</a></p>
<nav aria-label="Groups"><ul>${links}<li><a href="#errors">errors</a></li><li><a href="#schemas">schemas</a></li></ul></nav>
${groups}
${commonSections(components.schemas)}
</main>
</body>
</html>
`.toString();
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
    ([name, form]) => html`<h3 id="schema-${name}">${name}</h3><pre>${schemaText(form)}</pre>`,
  );
  return html`<section><h2 id="errors">errors</h2><table id="schema-ErrorCode">${rows}</table></section>
<section><h2 id="schemas">schemas</h2>${blocks}</section>`;
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
  return html`<details id="${operation.operationId}">
<summary><b>${method.toUpperCase()}</b> <code>${path}</code><small>${access}</small></summary>
<div><p>${prose(operation.summary)}</p>
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
  return html`<h3>Parameters</h3><table>${rows}</table>`;
}

function requestBlocks({ requestBody }: Operation): Html | null {
  return requestBody === undefined ? null : html`<h3>Body</h3>${contentBlocks(requestBody["content"])}`;
}

function answerBlocks({ responses }: Operation): Html[] {
  return Object.entries(responses).map(([status, { description, content }]) => {
    // The error format is shown once, at the end; only the codes matter here.
    const shown = isError(status) ? null : contentBlocks(content);
    return html`<h3>${status}</h3><p>${prose(String(description))}</p>${shown}`;
  });
}

function contentBlocks(content: unknown): Html[] {
  const contents = Object.entries((content ?? {}) as Record<string, { readonly schema: JsonSchema }>);
  return contents.map(([type, { schema }]) => html`<p><code>${type}</code></p><pre>${schemaText(schema)}</pre>`);
}

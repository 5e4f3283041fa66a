import type { JsonSchema } from "@sluice/contracts/native-route";
import { type Html, html } from "../platform/html.ts";
import { curlExample } from "./curl-example.ts";
import type { ApiDocument, Json, Operation } from "./model.ts";
import { schemaBlock, typeOf } from "./schema-fields.ts";
import { isError } from "./shared-parts.ts";
import { trialOf } from "./trial.ts";

/** The place of the content in the frame that the web draws. */
const contentPlace = "{api-description}";

/** The policy of the page without the frame: it loads nothing. */
export const barePolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Text in which backquotes mark code and each line is a paragraph. */
function prose(text: string): Html {
  const lines = text.split("\n").map((line) => {
    const parts = line.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
    return html`${parts}`;
  });
  return html`${lines.map((line, index) => (index === 0 ? line : html`<br>${line}`))}`;
}

const properNames: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  "api-description": "API description",
  "top-ups": "Top-ups",
};

/** The name of a group of endpoints, `account-limits`, as a title. */
const groupTitle = (name: string): string =>
  properNames[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");

const anchorOf = (tag: string): string => `group-${tag.replace(/[^a-z0-9]+/gi, "-")}`;

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
 * The whole description in the frame of the public site, or bare where the web is not built. It can be read without
 * JavaScript: operations by caller and group, both expandable. With a script they can be searched and tried.
 */
export function docsPage(document: ApiDocument, frame: string | null): string {
  const content = pageContent(document);
  return frame === null ? barePage(document, content) : frame.replace(contentPlace, () => content.toString());
}

function barePage({ info }: ApiDocument, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Every operation - ${info.title}</title>
</head>
<body><main>
${content}
</main></body>
</html>
`.toString();
}

/** An article, and the links to its groups. */
function pageContent(document: ApiDocument): Html {
  const { info, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Shown => ({ path, method, operation })),
  );
  return html`<article class="doc api">
<h1>The API of ${info.title}</h1>
<p class="lead">${prose(info.description.replaceAll("\n", " "))}</p>
<p>For programs: <a href="/backend/openapi.json">openapi.json</a>. How models are called, with examples in three languages: <a href="/docs/api/">API reference</a>.</p>
<search hidden><label class="field-label" for="find">Find an operation</label>
<input class="input" id="find" type="search" autocomplete="off" maxlength="100"><p id="found" role="status"></p></search>
${parts.map((part) => partSections(part, operations, document))}
${commonSections(components.schemas)}
</article>
<nav class="doc-toc" aria-label="On this page">${parts.map((part) => groupLinks(part, operations, document))}
<ul class="plain-list"><li><a href="#errors">Errors</a></li><li><a href="#schemas">Schemas</a></li></ul></nav>`;
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
    ({ name }) => html`<li><a href="#${part.id}-${anchorOf(name)}">${groupTitle(name)}</a></li>`,
  );
  return html`<p><a href="#${part.id}">${part.title}</a></p><ul class="plain-list">${links}</ul>`;
}

function partSections(part: (typeof parts)[number], all: readonly Shown[], document: ApiDocument): Html {
  const groups = groupsOf(part, all, document).map(
    ({
      name,
      shown,
    }) => html`<details class="group"><summary><h3>${groupTitle(name)}</h3><small>${shown.length}</small></summary><div id="${part.id}-${anchorOf(name)}">
${shown.map(({ path, method, operation }) => operationBlock(path, method, withParts(operation, document)))}</div></details>
`,
  );
  return html`<section class="doc-section"><h2 id="${part.id}">${part.title}</h2><p>${part.text}</p>
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
    (code) =>
      html`<tr><th scope="row"><code>${String(code["const"])}</code></th><td>${String(code["description"])}</td></tr>`,
  );
  const blocks = Object.entries(forms).map(
    // A link to what is inside opens it.
    ([name, form]) =>
      html`<details><summary><code>${name}</code></summary><div id="schema-${name}">${schemaBlock(form)}</div></details>`,
  );
  return html`<section class="doc-section"><h2 id="errors">Errors</h2><details class="group"><summary>${rows.length} codes</summary><div class="doc-table"><table id="schema-ErrorCode"><tbody>${rows}</tbody></table></div></details></section>
<section class="doc-section"><h2 id="schemas">Schemas</h2><details class="group"><summary>${blocks.length} schemas</summary><div>${blocks}</div></details></section>`;
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
<summary><b data-method="${method}">${method.toUpperCase()}</b> <code>${path}</code><small>${access}</small></summary>
<div${trial === null ? null : html` data-trial="${JSON.stringify(trial)}"`}><p>${prose(operation.summary)}</p>
<h4>Example</h4><pre class="api-code"><code>${curlExample(path, method, operation)}</code></pre>
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
      html`<tr><th scope="row"><code>${String(name)}</code></th><td>${String(place)}${required === true ? ", required" : ""}</td><td>${typeOf(schema as JsonSchema)}</td></tr>`,
  );
  return html`<h4>Parameters</h4><div class="doc-table"><table><tbody>${rows}</tbody></table></div>`;
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
  return contents.map(([type, { schema }]) => html`<p><code>${type}</code></p>${schemaBlock(schema)}`);
}

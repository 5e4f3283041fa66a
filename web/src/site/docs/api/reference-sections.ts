import {
  type AccountShape,
  accountPaths,
  accountReadsPerMinute,
  accountUsageDaysMax,
} from "@sluice/contracts/account-paths";
import type { ErrorCode } from "@sluice/contracts/errors";
import type { JsonSchema, NativeRoute } from "@sluice/contracts/native-route";
import { callErrors, nativeRoutes } from "@sluice/contracts/native-routes";
import { passThroughPaths } from "@sluice/contracts/pass-through";
import { fill } from "../../../i18n/messages.ts";
import { fillSnippet, type SnippetValues } from "../fill-snippet.ts";
import type { DocBlock, DocSection } from "../model.ts";
import { exampleTabs } from "./example-call.ts";
import type { ApiTexts } from "./messages/en.ts";
import { callOf, type ReferenceEntry, referenceEntries } from "./reference.ts";

/** The names of the formats in which clients read a balance; no language translates them. */
const balanceFormats: Readonly<Record<Exclude<AccountShape, "usage">, string>> = {
  credits: "OpenRouter, credits",
  key: "OpenRouter, key",
  subscription: "OpenAI, subscription",
  billing_usage: "OpenAI, usage",
  credit_grants: "OpenAI, credit grants",
  token_usage: "new-api, token usage",
};

/** The sections of the reference: what the contracts say about each route, with its example. */
export function referenceSections(texts: ApiTexts, values: SnippetValues): DocSection[] {
  const entries = referenceEntries.map((entry) => entrySection(entry, texts, values));
  const at = entries.findIndex(({ id }) => id === "compat_messages");
  return [basics(texts), ...entries.slice(0, at), balances(texts), passedThrough(texts), ...entries.slice(at)];
}

/** @throws Error when the contracts do not describe it */
function routeOf(name: string): NativeRoute {
  const route = nativeRoutes.find(({ method, path }) => `${method} ${path}` === name);
  if (route === undefined) {
    throw new Error(`no route is ${name}`);
  }
  return route;
}

function basics(texts: ApiTexts): DocSection {
  return {
    id: "basics",
    title: texts.section.basics,
    blocks: [
      {
        kind: "table",
        label: texts.section.basics,
        head: ["API", "URL", texts.example],
        rows: [
          ["OpenAI", "`/v1`", "`Authorization: Bearer $GATEWAY_API_KEY`"],
          ["Anthropic", "`/msgcompat`", "`x-api-key: $GATEWAY_API_KEY`"],
        ],
      },
      { kind: "text", text: texts.basicsText },
      { kind: "list", items: Object.values(texts.basic) },
      { kind: "text", text: fill(texts.errorsOfAll, { codes: linked(callErrors) }) },
    ],
  };
}

function entrySection(entry: ReferenceEntry, texts: ApiTexts, values: SnippetValues): DocSection {
  const { name, answer } = entry;
  const route = routeOf(entry.route);
  const title = texts.section[name];
  const call = callOf(entry);
  const rows = parameterRows(route, texts);
  const filled = (text: string): string => fillSnippet(text, values);
  const note = (texts.note as Readonly<Partial<Record<string, string>>>)[name];
  const blocks: DocBlock[] = [{ kind: "text", text: `\`${entry.route}\`` }];
  if (note !== undefined) {
    const limits = { days: accountUsageDaysMax, count: accountReadsPerMinute };
    blocks.push({ kind: "text", text: fill(note, limits) });
  }
  if (rows.length > 0) {
    const head = [texts.name, texts.type, texts.required, texts.meaning];
    blocks.push({ kind: "heading", text: texts.parameters });
    blocks.push({ kind: "table", label: `${title}: ${texts.parameters}`, head, rows });
  }
  if (call !== null) {
    const tabs = exampleTabs(name, call).map((tab) => ({ ...tab, text: filled(tab.text) }));
    blocks.push({ kind: "heading", text: texts.example }, { kind: "code-tabs", tabs });
  }
  if (answer !== null) {
    const text = filled(JSON.stringify(answer, null, 2));
    blocks.push({ kind: "heading", text: texts.response }, { kind: "code", name: `${name}-response`, text });
  }
  const own = route.errors.filter((code) => !callErrors.includes(code));
  const errors = own.length === 0 ? texts.errorsBasic : fill(texts.errorsToo, { codes: linked(own) });
  blocks.push({ kind: "heading", text: texts.errors }, { kind: "text", text: errors });
  return { id: name, title, blocks };
}

/** What the program checks; the provider requires every other field but flags and counts. */
const isOptional = (schema: JsonSchema): boolean => ["boolean", "integer"].includes(String(schema["type"]));

/** The parameters in the path and the fields of the body that the contracts name. */
function parameterRows({ path, body }: NativeRoute, texts: ApiTexts): string[][] {
  const row = (name: string, type: string, isRequired: boolean): string[] => [
    `\`${name}\``,
    `\`${type}\``,
    isRequired ? texts.yes : texts.no,
    meaningOf(name, texts),
  ];
  const schema = body?.schema ?? {};
  const required = (schema["required"] ?? []) as readonly string[];
  const fields = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => row(name, "string", true)),
    ...fields.map(([name, each]) =>
      row(name, typeName(each), required.includes(name) || !(name === "model" || isOptional(each))),
    ),
  ];
}

/** @throws Error when a parameter has no text */
function meaningOf(name: string, { field }: ApiTexts): string {
  const meaning = (field as Readonly<Partial<Record<string, string>>>)[name];
  if (meaning === undefined) {
    throw new Error(`the parameter ${name} has no text`);
  }
  return meaning;
}

function typeName(schema: JsonSchema): string {
  const forms = schema["anyOf"] as readonly JsonSchema[] | undefined;
  if (forms !== undefined) {
    return forms.map(typeName).join(" | ");
  }
  return schema["contentMediaType"] === undefined ? String(schema["type"]) : "file";
}

/** Codes as links to what they mean. */
function linked(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `[${code}](/docs/errors/#${code})`).join(", ");
}

function balances(texts: ApiTexts): DocSection {
  const rows = Object.entries(accountPaths)
    .filter(([path, shape]) => shape !== "usage" && !Object.hasOwn(accountPaths, `${path}/`))
    .map(([path, shape]) => [`\`GET ${path}\``, balanceFormats[shape as keyof typeof balanceFormats]]);
  return {
    id: "balances",
    title: texts.section.balances,
    blocks: [
      { kind: "text", text: texts.note.balances },
      { kind: "table", label: texts.section.balances, head: [texts.path, texts.format], rows },
    ],
  };
}

function passedThrough(texts: ApiTexts): DocSection {
  const rows = passThroughPaths.map((each) => each.split(" ").map((part) => `\`${part}\``));
  return {
    id: "pass_through",
    title: texts.section.pass_through,
    blocks: [
      { kind: "text", text: texts.note.pass_through },
      { kind: "table", label: texts.section.pass_through, head: [texts.method, texts.path], rows },
    ],
  };
}

/** A value in a request body; the `{{places}}` in texts are filled like those of snippets. */
export type ExampleValue =
  | string
  | number
  | boolean
  | readonly ExampleValue[]
  | { readonly [name: string]: ExampleValue };

/** A file beside the program, which is uploaded. */
export type ExampleFile = { readonly upload: string };

/** A call with an official library, from which the code of every language follows. */
export type ExampleCall = {
  /** The library: that of OpenAI, or that of Anthropic with one of our two base URLs. */
  readonly client: "openai" | "anthropic" | "messages";
  readonly method: "GET" | "POST";
  /** The path, for curl and for libraries that have no function for it. */
  readonly path: string;
  /** The function of the library, in both languages where they differ; null if it has none. */
  readonly call: string | { readonly python: string; readonly typescript: string } | null;
  /** An argument that is not a field of the body, such as the name of a model. */
  readonly argument?: string;
  readonly body?: { readonly [name: string]: ExampleValue | ExampleFile };
  /** What is printed: a field of the result in both languages, each item of a list, or bytes that are saved. */
  readonly result:
    | { readonly field: string }
    | { readonly python: string; readonly typescript: string }
    | { readonly each: string }
    | { readonly save: string }
    | "whole";
};

export type CodeTab = { readonly label: string; readonly name: string; readonly text: string };

const lineMax = 76;
const bases = { openai: "{{origin}}/v1", anthropic: "{{origin}}", messages: "{{origin}}/msgcompat" } as const;

const isFile = (value: ExampleValue | ExampleFile): value is ExampleFile =>
  typeof value === "object" && !Array.isArray(value) && "upload" in value;

/** How a language writes values. */
type Notation = {
  readonly name: (name: string) => string;
  readonly flag: (value: boolean) => string;
  readonly file: (path: string) => string;
  readonly step: string;
  /** Whether an object has a space inside its braces. */
  readonly isSpaced: boolean;
};

const json: Notation = {
  name: (name) => `"${name}": `,
  flag: String,
  file: JSON.stringify,
  step: "  ",
  isSpaced: true,
};
const typescript: Notation = {
  ...json,
  name: (name) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : JSON.stringify(name)}: `,
  file: (path) => `createReadStream("${path}")`,
};
const python: Notation = {
  name: (name) => `"${name}": `,
  flag: (value) => (value ? "True" : "False"),
  file: (path) => `open("${path}", "rb")`,
  step: "    ",
  isSpaced: false,
};

/** A value on one line if it is short enough, else over several. */
function written(value: ExampleValue | ExampleFile, notation: Notation, indent: string): string {
  if (typeof value === "string" || typeof value === "number") {
    return JSON.stringify(value);
  }
  if (typeof value === "boolean") {
    return notation.flag(value);
  }
  if (isFile(value)) {
    return notation.file(value.upload);
  }
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const items = (indentOfItems: string): string[] =>
    Array.isArray(value)
      ? value.map((each: ExampleValue) => written(each, notation, indentOfItems))
      : Object.entries(value).map(([name, each]) => notation.name(name) + written(each, notation, indentOfItems));
  const space = notation.isSpaced && open === "{" ? " " : "";
  const line = `${open}${space}${items("").join(", ")}${space}${close}`;
  if (line.length + indent.length <= lineMax && !line.includes("\n")) {
    return line;
  }
  const inner = indent + notation.step;
  const comma = notation === json ? "" : ",";
  return `${open}\n${inner}${items(inner).join(`,\n${inner}`)}${comma}\n${indent}${close}`;
}

function curlOf({ method, path, body, client, result }: ExampleCall): string {
  const key = client === "messages" ? "x-api-key: $GATEWAY_API_KEY" : "Authorization: Bearer $GATEWAY_API_KEY";
  const lines = [`curl -sS --fail-with-body {{origin}}${path}`, `-H "${key}"`];
  if (client !== "openai") {
    lines.push('-H "anthropic-version: 2023-06-01"');
  }
  const fields = Object.entries(body ?? {});
  if (fields.some(([, value]) => isFile(value))) {
    lines.push(...fields.map(([name, value]) => `-F "${name}=${isFile(value) ? `@${value.upload}` : String(value)}"`));
  } else if (method === "POST") {
    lines.push('-H "Content-Type: application/json"', `-d '${inQuotes(written(body ?? {}, json, "  "))}'`);
  }
  if (typeof result === "object" && "save" in result) {
    lines.push(`--output ${result.save}`);
  }
  return lines.join(" \\\n  ");
}

/** A text between single quotes of the shell. */
const inQuotes = (text: string): string => text.replaceAll("'", "'\\''");

/** The arguments of a call in parentheses, each on a line of its own if there are several. */
function argumentsOf(parts: readonly string[], step: string, isTight: boolean): string {
  const line = parts.join(", ");
  return isTight || (parts.length < 2 && !line.includes("\n"))
    ? `(${line})`
    : `(\n${step}${parts.join(`,\n${step}`)},\n)`;
}

/** The name of the function in a language; the method of HTTP where the library has none. */
function functionName({ call, method }: ExampleCall, language: "python" | "typescript"): string {
  if (call === null) {
    return method.toLowerCase();
  }
  return typeof call === "string" ? call : call[language];
}

function pythonArguments({ call, argument, body, path }: ExampleCall): string {
  const { step } = python;
  if (call === null) {
    const sent = body === undefined ? [] : [`body=${written(body as ExampleValue, python, step)}`];
    return argumentsOf([JSON.stringify(genericPath(path)), ...sent, "cast_to=object"], step, body === undefined);
  }
  const fields = Object.entries(body ?? {}).map(([field, value]) => `${field}=${written(value, python, step)}`);
  return argumentsOf([...(argument === undefined ? [] : [JSON.stringify(argument)]), ...fields], step, false);
}

function pythonOf(example: ExampleCall): string {
  const { result, client } = example;
  const [name, library] = client === "openai" ? ["OpenAI", "openai"] : ["Anthropic", "anthropic"];
  const key = client === "anthropic" ? "auth_token" : "api_key";
  const made = `client.${functionName(example, "python")}${pythonArguments(example)}`;
  const end =
    typeof result === "object" && "each" in result
      ? `for item in ${made}:\n    print(item.${result.each})`
      : `response = ${made}\n${pythonResult(result)}`;
  return `import os

from ${library} import ${name}

client = ${name}(
    base_url="${bases[client]}",
    ${key}=os.environ["GATEWAY_API_KEY"],
)

${end}`;
}

function pythonResult(result: ExampleCall["result"]): string {
  if (result === "whole") {
    return "print(response)";
  }
  if ("field" in result) {
    return `print(response.${result.field})`;
  }
  return "save" in result
    ? `response.write_to_file("${result.save}")`
    : `print(${"python" in result ? result.python : ""})`;
}

function typescriptArguments({ call, argument, body, path }: ExampleCall): string {
  const shown = body === undefined ? [] : [written(body as ExampleValue, typescript, call === null ? "  " : "")];
  const parts =
    call === null
      ? [JSON.stringify(genericPath(path)), ...shown.map((each) => `{\n  body: ${each},\n}`)]
      : [...(argument === undefined ? [] : [JSON.stringify(argument)]), ...shown];
  return `(${parts.join(", ")})`;
}

function typescriptOf(example: ExampleCall): string {
  const { result, client } = example;
  const [name, library] = client === "openai" ? ["OpenAI", "openai"] : ["Anthropic", "@anthropic-ai/sdk"];
  const key = client === "anthropic" ? "authToken" : "apiKey";
  const made = `client.${functionName(example, "typescript")}${typescriptArguments(example)}`;
  const end =
    typeof result === "object" && "each" in result
      ? `for await (const item of ${made}) {\n  console.log(item.${result.each});\n}`
      : `const response = await ${made};\n${typescriptResult(result)}`;
  const imports = [
    ...(made.includes("createReadStream") ? ['import { createReadStream } from "node:fs";'] : []),
    ...(end.includes("writeFile") ? ['import { writeFile } from "node:fs/promises";'] : []),
    `import ${name} from "${library}";`,
  ];
  return `${imports.join("\n")}

const client = new ${name}({
  baseURL: "${bases[client]}",
  ${key}: process.env.GATEWAY_API_KEY,
});

${end}`;
}

function typescriptResult(result: ExampleCall["result"]): string {
  if (result === "whole") {
    return "console.log(response);";
  }
  if ("field" in result) {
    return `console.log(response.${result.field});`;
  }
  return "save" in result
    ? `await writeFile("${result.save}", Buffer.from(await response.arrayBuffer()));`
    : `console.log(${"typescript" in result ? result.typescript : ""});`;
}

/** A path for a library whose base URL ends in `/v1`. */
function genericPath(path: string): string {
  return path.startsWith("/v1/") ? path.slice("/v1".length) : `{{origin}}${path}`;
}

/** The call in curl and with the official libraries; its places are still to be filled. */
export function exampleTabs(id: string, example: ExampleCall): CodeTab[] {
  return [
    { label: "curl", name: `${id}-curl`, text: curlOf(example) },
    { label: "Python", name: `${id}-python`, text: pythonOf(example) },
    { label: "TypeScript", name: `${id}-typescript`, text: typescriptOf(example) },
  ];
}

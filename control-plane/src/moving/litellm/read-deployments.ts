import { z } from "zod";
import type { Finding } from "../model.ts";
import type { Note, Row } from "../source/model.ts";
import { flagOf, textOf } from "../source/read-values.ts";
import { type Deployment, splitModel } from "./deployment.ts";
import { fieldsOf, type ReadRows } from "./model.ts";
import type { ParamOpener } from "./open-params.ts";

type Fields = Readonly<Record<string, unknown>>;

const fileBytesMax = 8 * 1024 * 1024;
/** What a text looks like that was encrypted under another key. */
const sealedText = /^(?:v[23]:gcm:.+|[A-Za-z0-9_-]{54,}={0,2})$/;
const configuration = z.object({
  model_list: z
    .array(
      z.object({
        model_name: z.string(),
        litellm_params: z.record(z.string(), z.unknown()),
        model_info: z.record(z.string(), z.unknown()).nullish(),
      }),
    )
    .nullish(),
  credential_list: z
    .array(z.object({ credential_name: z.string(), credential_values: z.record(z.string(), z.unknown()) }))
    .nullish(),
});

/** Values that deployments share, by the name under which they refer to them. */
type Credentials = Map<string, Fields>;

/** The deployments of the database and of a configuration file, and the findings of the latter. */
export async function readDeployments(
  read: ReadRows,
  opener: ParamOpener | null,
  configFile: string | null,
  findings: Finding[],
): Promise<readonly Deployment[]> {
  const credentials: Credentials = new Map();
  await read("LiteLLM_CredentialsTable", (row, note) => {
    const values = openAll(fieldsOf(row["credential_values"]), opener, note);
    if (values !== null) {
      credentials.set(textOf(row["credential_name"]), values);
    }
    return null;
  });
  const file = configFile === null ? null : await readConfiguration(configFile);
  for (const { credential_name: name, credential_values: values } of file?.credential_list ?? []) {
    credentials.set(name, values);
  }
  const stored = await read("LiteLLM_ProxyModelTable", (row, note) =>
    readDeployment(row, note, { opener, credentials }),
  );
  const listed = (file?.model_list ?? []).flatMap((entry, at) => {
    const id = `config:${at + 1}`;
    const note: Note = (level, text) => findings.push({ level, table: "model_list", id, text });
    const { model_name: modelName, litellm_params: params, model_info: info } = entry;
    return toDeployment({ id, modelName, params, info: info ?? {}, isEnabled: true }, credentials, note) ?? [];
  });
  return [...stored, ...listed];
}

async function readConfiguration(path: string): Promise<z.output<typeof configuration>> {
  const file = Bun.file(path);
  if (!(await file.exists()) || file.size > fileBytesMax) {
    throw new Error(`--config: the file ${path} does not exist, or is larger than ${fileBytesMax} bytes`);
  }
  let content: unknown;
  try {
    content = Bun.YAML.parse(await file.text());
  } catch {
    // Its text has secrets, and so may the message.
    throw new Error("--config: the file is not YAML");
  }
  const parsed = configuration.safeParse(content);
  if (!parsed.success) {
    throw new Error(`--config: ${parsed.error.issues[0]?.path.join(".")} is not as LiteLLM has it`);
  }
  return parsed.data;
}

type Means = { readonly opener: ParamOpener | null; readonly credentials: Credentials };

function readDeployment(row: Row, note: Note, { opener, credentials }: Means): Deployment | null {
  const params = openAll(fieldsOf(row["litellm_params"]), opener, note);
  return params === null
    ? null
    : toDeployment(
        {
          id: textOf(row["model_id"]),
          modelName: textOf(row["model_name"]).trim(),
          params,
          info: fieldsOf(row["model_info"]),
          isEnabled: !flagOf(row["blocked"]),
        },
        credentials,
        note,
      );
}

/** Every text is encrypted by itself; one that was not is taken as it is. Null, with a note, without the right key. */
function openAll(fields: Fields, opener: ParamOpener | null, note: Note): Fields | null {
  const opened = Object.entries(fields).map(([name, value]) => {
    const plain = typeof value === "string" ? (opener?.open(value) ?? null) : null;
    return {
      name,
      value: plain ?? value,
      isSealed: plain === null && typeof value === "string" && sealedText.test(value),
    };
  });
  if (opened.some(({ isSealed }) => isSealed)) {
    const advice =
      opener === null
        ? "Pass its LITELLM_SALT_KEY, or its master key if it has none, in a file with --salt-key-file."
        : "The salt key is not the one that it was encrypted with.";
    note("decide", `It is encrypted. ${advice}`);
    return null;
  }
  return Object.fromEntries(opened.map(({ name, value }) => [name, value]));
}

type Entry = Omit<Deployment, "provider" | "upstreamModel">;

function toDeployment(entry: Entry, credentials: Credentials, note: Note): Deployment | null {
  const name = textOf(entry.params["litellm_credential_name"]);
  const shared = credentials.get(name);
  if (name !== "" && shared === undefined) {
    note(
      "decide",
      `The credential ${JSON.stringify(name.slice(0, 60))} that it uses does not exist or can't be decrypted.`,
    );
  }
  const params = { ...shared, ...entry.params };
  if (entry.modelName.includes("*")) {
    note("decide", `It serves every model like ${entry.modelName}. Choose the models of this provider in the admin.`);
    return null;
  }
  return { ...entry, params, ...splitModel(params) };
}

import type { AuthStyle, Dialect, UpstreamSettings, UpstreamSettingsInput } from "@sluice/contracts/upstreams";
import { t } from "../../translate.ts";

export const addressDialects = [
  "chat",
  "responses",
  "messages",
  "gemini",
  "cohere",
] as const satisfies readonly Dialect[];

/** The name of a field of the settings, as the backend names it in errors. */
export const addressField = (dialect: Dialect) => `upstream.dialects.${dialect}.base_url` as const;
export const authField = (dialect: Dialect) => `upstream.dialects.${dialect}.auth` as const;

type AddressValues = Readonly<Record<ReturnType<typeof addressField>, string>>;
type AuthValues = Readonly<Record<ReturnType<typeof authField>, string>>;

/** The settings of an upstream as the fields of a form. */
export type SettingsValues = AddressValues &
  AuthValues & {
    readonly "upstream.query": string;
    readonly "upstream.headers.set": string;
    readonly "upstream.headers.remove": string;
    readonly "upstream.body.set": string;
    readonly "upstream.body.remove": string;
    readonly "upstream.flags.asks_usage": boolean;
    readonly "upstream.flags.token_param": string;
    readonly "upstream.flags.developer_role": boolean;
    readonly "upstream.flags.reasoning_back": boolean;
    readonly "upstream.flags.think_tags": boolean;
    readonly "upstream.flags.thoughts_in_total": boolean;
    readonly "upstream.flags.cache_key": boolean;
    readonly "upstream.flags.verbosity": boolean;
    readonly "upstream.flags.automatic_caching": boolean;
    readonly "upstream.flags.betas": string;
  };

const none = "none";

/** What a form shows of settings, or of none. */
export function toValues(settings: UpstreamSettingsInput | null): SettingsValues {
  const { dialects = {}, query = {}, headers, body, flags } = settings ?? {};
  const fields = addressDialects.flatMap((dialect) => [
    [addressField(dialect), dialects[dialect]?.base_url ?? ""] as const,
    [authField(dialect), dialects[dialect]?.auth ?? "bearer"] as const,
  ]);
  const set = body?.set ?? {};
  const betas = flags?.betas ?? null;
  return {
    ...(Object.fromEntries(fields) as AddressValues & AuthValues),
    "upstream.query": lines(query, "="),
    "upstream.headers.set": lines(headers?.set ?? {}, ": "),
    "upstream.headers.remove": (headers?.remove ?? []).join(", "),
    "upstream.body.set": Object.keys(set).length === 0 ? "" : JSON.stringify(set, null, 2),
    "upstream.body.remove": (body?.remove ?? []).join(", "),
    ...toSwitches(flags ?? {}),
    "upstream.flags.token_param": flags?.token_param ?? "max_tokens",
    "upstream.flags.betas": betas === null ? "" : betas.length === 0 ? none : betas.join(", "),
  };
}

function toSwitches(flags: NonNullable<UpstreamSettingsInput["flags"]>) {
  return {
    "upstream.flags.asks_usage": flags.asks_usage ?? true,
    "upstream.flags.developer_role": flags.developer_role ?? false,
    "upstream.flags.reasoning_back": flags.reasoning_back ?? false,
    "upstream.flags.think_tags": flags.think_tags ?? false,
    "upstream.flags.thoughts_in_total": flags.thoughts_in_total ?? false,
    "upstream.flags.cache_key": flags.cache_key ?? false,
    "upstream.flags.verbosity": flags.verbosity ?? false,
    "upstream.flags.automatic_caching": flags.automatic_caching ?? false,
  };
}

/** What is wrong with the fields that a form can check by itself. */
export function settingsProblems(values: SettingsValues): Partial<Record<keyof SettingsValues, string>> {
  return {
    ...(readFields(values["upstream.body.set"]) === null
      ? { "upstream.body.set": t("Enter a JSON object, such as {example}.", { example: '{"user": "sluice"}' }) }
      : {}),
    ...(pairs(values["upstream.query"], "=") === null
      ? { "upstream.query": t("Enter one name=value on each line.") }
      : {}),
    ...(pairs(values["upstream.headers.set"], ":") === null
      ? { "upstream.headers.set": t("Enter one name: value on each line.") }
      : {}),
  };
}

/**
 * The settings that a form stands for; the backend checks them.
 * @param known what was set before; a form does not show all of it
 */
export function toSettings(values: SettingsValues, known: UpstreamSettingsInput | null): UpstreamSettingsInput {
  const entered = addressDialects.flatMap((dialect) => {
    const address = values[addressField(dialect)].trim();
    return address === "" ? [] : [[dialect, { base_url: address, auth: values[authField(dialect)] as AuthStyle }]];
  });
  const betas = values["upstream.flags.betas"].trim();
  return {
    preset: known?.preset ?? null,
    dialects: Object.fromEntries(entered) as UpstreamSettingsInput["dialects"],
    query: pairs(values["upstream.query"], "=") ?? {},
    headers: {
      set: pairs(values["upstream.headers.set"], ":") ?? {},
      remove: names(values["upstream.headers.remove"]),
    },
    body: {
      set: readFields(values["upstream.body.set"]) ?? {},
      remove: names(values["upstream.body.remove"]),
    },
    flags: {
      ...known?.flags,
      asks_usage: values["upstream.flags.asks_usage"],
      token_param: values["upstream.flags.token_param"] as UpstreamSettings["flags"]["token_param"],
      developer_role: values["upstream.flags.developer_role"],
      reasoning_back: values["upstream.flags.reasoning_back"],
      think_tags: values["upstream.flags.think_tags"],
      thoughts_in_total: values["upstream.flags.thoughts_in_total"],
      cache_key: values["upstream.flags.cache_key"],
      verbosity: values["upstream.flags.verbosity"],
      automatic_caching: values["upstream.flags.automatic_caching"],
      betas: betas === "" ? null : betas === none ? [] : names(betas),
    },
  };
}

function lines(fields: Readonly<Record<string, string>>, between: string): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}${between}${value}`)
    .join("\n");
}

/** The pairs of a text with one on each line; null if a line is none. */
function pairs(text: string, between: string): Record<string, string> | null {
  const entries = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const at = line.indexOf(between);
      return at < 1 ? null : ([line.slice(0, at).trim(), line.slice(at + between.length).trim()] as const);
    });
  const whole = entries.filter((entry) => entry !== null);
  return whole.length === entries.length ? Object.fromEntries(whole) : null;
}

export function names(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}

function readFields(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = text.trim() === "" ? {} : JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

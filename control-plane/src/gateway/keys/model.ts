const keyPattern = /^sk-[A-Za-z0-9]{48}$/;

/** Whether a text can be one of our keys at all; anything else is refused without querying the database. */
export function looksLikeApiKey(text: string): boolean {
  return keyPattern.test(text);
}

/** What people may see of a key. */
export function describeApiKey(key: string): { keyPrefix: string; keyLastFour: string } {
  return { keyPrefix: key.slice(0, 7), keyLastFour: key.slice(-4) };
}

/** The settings of a key, except its quota limit. */
export type KeySettings = {
  readonly name: string;
  readonly expiresAt: string | null;
  readonly allowedModels: readonly string[] | null;
  readonly allowedIps: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrencyMax: number | null;
  readonly isPayloadTraced: boolean;
};

/** The settings in a request; omitted ones are undefined. */
export type SettingsInput = {
  readonly name?: string | undefined;
  readonly expires_at?: string | null | undefined;
  readonly allowed_models?: readonly string[] | null | undefined;
  readonly allowed_ips?: readonly string[] | null | undefined;
  readonly requests_per_minute?: number | null | undefined;
  readonly tokens_per_minute?: number | null | undefined;
  readonly concurrency_max?: number | null | undefined;
  readonly is_payload_traced?: boolean | undefined;
};

export const defaultSettings: Omit<KeySettings, "name"> = {
  expiresAt: null,
  allowedModels: null,
  allowedIps: null,
  requestsPerMinute: null,
  tokensPerMinute: null,
  concurrencyMax: null,
  isPayloadTraced: true,
};

/** The settings after a request: its values, else the previous ones. */
export function mergeSettings(current: KeySettings, input: SettingsInput): KeySettings {
  const or = <T>(said: T | undefined, was: T): T => (said === undefined ? was : said);
  return {
    name: or(input.name, current.name),
    expiresAt: or(input.expires_at, current.expiresAt),
    allowedModels: or(input.allowed_models, current.allowedModels),
    allowedIps: or(input.allowed_ips, current.allowedIps),
    requestsPerMinute: or(input.requests_per_minute, current.requestsPerMinute),
    tokensPerMinute: or(input.tokens_per_minute, current.tokensPerMinute),
    concurrencyMax: or(input.concurrency_max, current.concurrencyMax),
    isPayloadTraced: or(input.is_payload_traced, current.isPayloadTraced),
  };
}

import { unescape as decode } from "node:querystring";
import { fileURLToPath } from "node:url";
import { listenProblem } from "@sluice/contracts/listen-host";
import { z } from "zod";
import type { MasterKeySource } from "./crypto/master-key.ts";
import { programFile } from "./program-files.ts";
import type { TelemetrySettings } from "./telemetry/model.ts";

const flag = z.enum(["0", "1", "true", "false"]).transform((value) => value === "1" || value === "true");
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const postgresUrl = z
  .string("must be set to a Postgres of version 15 or later, such as postgres://name:password@host:5432/database")
  .regex(/^postgres(ql)?:\/\//, "must be a postgres:// address");
const roles = z.enum(["relay", "gateway", "backend", "jobs"]);

/**
 * Every variable that the control plane reads; deploy/env.example explains each. It is made for one use and not kept: its 525
 * schemas take 1 MB.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, whose rows belong together
const configSchema = () =>
  z.object({
    NODE_ENV: z.enum(["development", "production", "test"]).default("development"),
    ROLES: z
      .string()
      .default("relay,gateway,backend,jobs")
      .transform((text) => text.split(",").map((role) => role.trim()))
      .pipe(z.array(roles).min(1)),
    HOST: z.string().min(1).default("127.0.0.1"),
    DEVELOPMENT_ON_NETWORK: flag.default(false),
    PORT: count(0, 65_535).default(3000),
    DATABASE_URL: postgresUrl,
    MIGRATION_DATABASE_URL: postgresUrl.optional(),
    DATABASE_POOL_MAX: count(2, 200).default(10),
    DATA_DIR: z.string().min(1).default(".data"),
    WEB_DIST: z
      .string()
      .min(1)
      .default(fileURLToPath(programFile("web/dist"))),
    PUBLIC_BASE_URL: z
      .url({ protocol: /^https?$/ })
      .refine((text) => !URL.canParse(text) || new URL(text).origin === text.replace(/\/$/, ""), "must have no path")
      .transform((text) => new URL(text).origin)
      .optional(),
    SUPPORT_WIDGET_URL: z.url({ protocol: /^https$/, hostname: /^[a-z0-9.-]+$/i }).optional(),
    UPSTREAM_GATEWAY_URL: z.url({ protocol: /^https?$/ }).optional(),
    MAIL_ADAPTER: z.enum(["log", "http", "smtp"]).default("log"),
    MAIL_FROM: z.string().min(3).max(320).default("Sluice <no-reply@localhost>"),
    MAIL_SOURCE: z
      .string()
      .regex(/^[a-z0-9._-]{1,64}$/, "must be 1 to 64 lower-case letters, digits and .-_")
      .default("sluice"),
    MAIL_CONCURRENCY: count(1, 50).default(4),
    MAIL_GATEWAY_URL: z.url({ protocol: /^https?$/ }).optional(),
    MAIL_GATEWAY_KEY: z.string().min(16).optional(),
    SMTP_URL: z
      .string()
      .regex(/^smtps?:\/\//, "must be a smtp:// or smtps:// address")
      .optional(),
    MASTER_KEY: z.string().optional(),
    MASTER_KEY_FILE: z.string().optional(),
    MASTER_KEY_PREVIOUS: z.string().optional(),
    MASTER_KEY_PREVIOUS_FILE: z.string().optional(),
    NEW_MASTER_KEY: z.string().optional(),
    NEW_MASTER_KEY_FILE: z.string().optional(),
    REGISTRATION_RETURNS_VERIFICATION_URL: flag.optional(),
    PROVIDER_API_KEY: z.string().min(1).optional(),
    PROVIDER_BASE_URL: z.url({ protocol: /^https?$/ }).default("https://api.openai.com/v1"),
    SANDBOX_URL: z.url({ protocol: /^https?$/ }).optional(),
    WALLETPAY_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
    WALLETPAY_VENDORS: z
      .string()
      .default("alipay,wechatpay,unionpay,creditcard,paypal,venmo")
      .transform((text) => text.split(",").map((part) => part.trim())),
    WALLETPAY_CONFIRM: flag.optional(),
    WALLETPAY_TIMEOUT_MS: count(100, 60_000).default(10_000),
    WALLETPAY_MERCHANT_NO: z.string().optional(),
    WALLETPAY_STORE_NO: z.string().optional(),
    WALLETPAY_TOKEN: z.string().optional(),
    CARDPAY_API_URL: z.url({ protocol: /^https?$/ }).optional(),
    CARDPAY_TIMEOUT_MS: count(100, 60_000).default(10_000),
    CARDPAY_RETRIES_MAX: count(0, 5).default(1),
    CARDPAY_SECRET_KEY: z.string().optional(),
    CARDPAY_WEBHOOK_SECRET: z.string().optional(),
    CARDPAY_ACCOUNT_A_SECRET_KEY: z.string().optional(),
    CARDPAY_ACCOUNT_A_WEBHOOK_SECRET: z.string().optional(),
    CARDPAY_ACCOUNT_B_SECRET_KEY: z.string().optional(),
    CARDPAY_ACCOUNT_B_WEBHOOK_SECRET: z.string().optional(),
    PAYMENT_MOCK: flag.default(false),
    PAYMENT_TEST_MODE: flag.optional(),
    METRICS_TOKEN: z.string().min(16).optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
    OTEL_EXPORTER_OTLP_HEADERS: z
      .string()
      .regex(/^[^=,\s]+=[^,]*(,[^=,\s]+=[^,]*)*$/, "must be names and values like name=value,other=value")
      .optional(),
    OTEL_EXPORTER_OTLP_TIMEOUT: count(100, 60_000).default(10_000),
    OTEL_METRIC_EXPORT_INTERVAL: count(1_000, 3_600_000).default(60_000),
    OTEL_SERVICE_NAME: z.string().min(1).max(200).default("sluice"),
    LOG_LEVEL: z.enum(["debug", "info", "warn", "error"]).default("info"),
    CLIENT_IP_HEADER: z
      .string()
      .regex(/^[a-z0-9-]+$/, "must be a lower-case header name")
      .optional(),
    EDGE_ADDRESSES: z
      .string()
      .default("127.0.0.1,::1")
      .transform((text) => text.split(",").map((part) => part.trim())),
    CORS_ORIGINS: z
      .string()
      .default("")
      .transform((text) =>
        text
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== ""),
      )
      .pipe(
        z.array(
          z.string().regex(/^(\*|[a-z][a-z0-9+.-]*:\/\/[^/\s*]+)$/, "must be origins like https://app.example, or *"),
        ),
      ),
    CHAT_FRONT: z.enum(["off", "on"]).default("on"),
    CLIENT_CONNECTIONS_MAX: count(1, 1_000_000).default(4_096),
    BODY_BYTES_MAX: count(1_024, 256 * 1024 * 1024).default(32 * 1024 * 1024),
    BODIES_BYTES_MAX: count(1_024, 64 * 1024 * 1024 * 1024).default(512 * 1024 * 1024),
    BODIES_USER_BYTES_MAX: count(1_024, 64 * 1024 * 1024 * 1024).default(128 * 1024 * 1024),
    BODY_TIMEOUT_MS: count(100, 600_000).default(30_000),
    UPSTREAM_CONNECT_TIMEOUT_MS: count(10, 60_000).default(5_000),
    UPSTREAM_FIRST_TOKEN_TIMEOUT_MS: count(10, 3_600_000).default(55_000),
    UPSTREAM_FIRST_BYTE_TIMEOUT_MS: count(10, 3_600_000).default(600_000),
    UPSTREAM_IDLE_TIMEOUT_MS: count(10, 3_600_000).default(45_000),
    UPSTREAM_TOTAL_TIMEOUT_MS: count(10, 7_200_000).default(1_800_000),
    ABORTED_USAGE_TIMEOUT_MS: count(0, 60_000).default(5_000),
    UNPAID_CALLS_PER_HOUR: count(0, 1_000_000).default(600),
    STREAM_STALL_TIMEOUT_MS: count(100, 3_600_000).default(60_000),
    CLIENT_IDLE_TIMEOUT_MS: count(1_000, 255_000).default(30_000),
    UPSTREAM_RETRY_SENT: flag.default(true),
    UPSTREAM_CA_FILE: z.string().optional(),
    UPSTREAM_PRIVATE_ALLOWED: flag.optional(),
    WEBHOOK_PRIVATE_ALLOWED: flag.optional(),
    UPSTREAM_RESPONSE_BYTES_MAX: count(1_024, 16 * 1024 * 1024 * 1024).default(1024 * 1024 * 1024),
    EXIT_NODE_PORTS: z
      .string()
      .regex(/^(any|\d{1,5}(,\s*\d{1,5})*)$/, "must be comma-separated ports, or the word any")
      .default("443,8443")
      .transform((text) => (text === "any" ? null : text.split(",").map(Number))),
    EXIT_NODE_HOST_SUFFIX: z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, "must be a name like nodes.example.org")
      .optional(),
    EXIT_NODE_PRIVATE_ALLOWED: flag.default(false),
    EXIT_NODE_HTTP_ALLOWED: flag.default(false),
    EXIT_NODE_DNS_SERVERS: z
      .string()
      .regex(/^[0-9a-f.:[\]]+(,\s*[0-9a-f.:[\]]+)*$/i, "must be comma-separated addresses")
      .transform((text) => text.split(",").map((part) => part.trim()))
      .optional(),
    EXIT_NODE_TIMEOUT_MS: count(100, 4_000).default(3_000),
    EXIT_NODE_CHECK_MS: count(1_000, 3_600_000).default(30_000),
    EXIT_NODE_SWITCH_SUCCESSES: count(1, 100).default(3),
    EXIT_NODE_SWITCH_SPACING_MS: count(0, 3_600_000).default(10_000),
    EXIT_NODE_SWITCH_PAUSE_MS: count(0, 86_400_000).default(300_000),
    REALTIME_CONNECT_TIMEOUT_MS: count(10, 60_000).default(10_000),
    REALTIME_IDLE_TIMEOUT_MS: count(100, 7_200_000).default(900_000),
    REALTIME_TOTAL_TIMEOUT_MS: count(100, 7_200_000).default(3_600_000),
    REALTIME_PING_MS: count(100, 600_000).default(30_000),
    REALTIME_RECHECK_MS: count(100, 60_000).default(5_000),
    DRAIN_NOTICE_MS: count(0, 600_000).default(0),
    DRAIN_TIMEOUT_MS: count(0, 3_600_000).default(30_000),
    RESPONSE_CACHE_STORE: z.enum(["memory", "redis", "postgres"]).default("memory"),
    RESPONSE_CACHE_URL: z
      .string()
      .regex(/^(redis|valkey)s?:\/\/[^/]/, "must be a redis:// or rediss:// address")
      .optional(),
    RESPONSE_CACHE_BYTES_MAX: count(1_048_576, 1_099_511_627_776).default(268_435_456),
    TRACE_PAYLOADS: flag.optional(),
    TRACE_MAX_PAYLOAD_BYTES: count(0, 4 * 1024 * 1024).optional(),
    ADMIN_SECOND_PERSON_ABOVE_USD: count(0, 1_000_000).optional(),
    TRACE_QUEUE_BYTES_MAX: count(0, 1024 * 1024 * 1024).default(64 * 1024 * 1024),
    LEASE_TERM_MS: count(1_000, 600_000).default(60_000),
    LEASE_KEPT_MS: count(1_000, 600_000).default(60_000),
    SPOOL_BYTES_MAX: count(1_024, 64 * 1024 * 1024 * 1024).default(2 * 1024 * 1024 * 1024),
    RESERVE_FILE_BYTES: count(0, 1024 * 1024 * 1024).default(64 * 1024 * 1024),
  });

/** The names of all variables. */
export const configVariables = (): readonly string[] => Object.keys(configSchema().shape);

export type Config = Readonly<z.output<ReturnType<typeof configSchema>>>;
export type Role = z.output<typeof roles>;

/** The environment is not a valid configuration; the message names each variable and what is wrong with it. */
export class ConfigError extends Error {}

/**
 * Reads the environment. An empty variable counts as unset.
 * @throws ConfigError
 */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  const result = configSchema().safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
    throw new ConfigError(`The configuration is not usable. ${problems.join("; ")}. See deploy/env.example.`);
  }
  const { RESPONSE_CACHE_STORE: store, RESPONSE_CACHE_URL: storeUrl } = result.data;
  if (store === "redis" && storeUrl === undefined) {
    throw new ConfigError(
      "The configuration is not usable. RESPONSE_CACHE_URL: the store 'redis' needs an address. See deploy/env.example.",
    );
  }
  const unsafe = unsafeSettings(result.data);
  if (unsafe.length > 0) {
    throw new ConfigError(`The configuration is not safe. ${unsafe.join("; ")}. See deploy/env.example.`);
  }
  return Object.freeze(result.data);
}

function unsafeSettings(config: Config): string[] {
  const isProduction = config.NODE_ENV === "production";
  const isNetworkAllowed = config.DEVELOPMENT_ON_NETWORK;
  const problem = listenProblem({ host: config.HOST, isProduction, isNetworkAllowed });
  return [
    ...(problem === null ? [] : [`HOST: ${problem}`]),
    ...(isProduction && config.PAYMENT_MOCK
      ? ["PAYMENT_MOCK: production does not settle orders without a payment"]
      : []),
  ];
}

/** Where the master key is according to the configuration, for `loadMasterKey`. */
export function masterKeySource(config: Config): MasterKeySource {
  return {
    isProduction: config.NODE_ENV === "production",
    value: config.MASTER_KEY ?? null,
    file: config.MASTER_KEY_FILE ?? null,
    previous: { value: config.MASTER_KEY_PREVIOUS ?? null, file: config.MASTER_KEY_PREVIOUS_FILE ?? null },
    dataDirectory: config.DATA_DIR,
  };
}

/** Where traces and metrics of calls are exported, or null. */
export function telemetrySettings(config: Config): TelemetrySettings | null {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = "" } = config;
  if (endpoint === undefined) {
    return null;
  }
  const pairs = headers === "" ? [] : headers.split(",").map((pair) => pair.split(/=(.*)/s));
  return {
    endpoint,
    headers: Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, decode(value)])),
    serviceName: config.OTEL_SERVICE_NAME,
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    metricIntervalMs: config.OTEL_METRIC_EXPORT_INTERVAL,
  };
}

/** The base URL for links in emails and returns from payment pages, without a trailing slash; never from a request. */
export function publicBaseUrl({ PUBLIC_BASE_URL, HOST, PORT }: Config): string {
  return PUBLIC_BASE_URL ?? `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`;
}

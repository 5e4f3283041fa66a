/** Values with which the tests render the chart. */

export const required = { publicBaseUrl: "https://sluice.example", secrets: { name: "sluice" } };

export const everythingOn = {
  ...required,
  image: { digest: `sha256:${"a".repeat(64)}` },
  imagePullSecrets: [{ name: "pull" }],
  secrets: {
    name: "sluice",
    keys: { migrationDatabaseUrl: "OWNER_URL", masterKeyPrevious: "OLD_KEY", metricsToken: "METRICS_TOKEN" },
  },
  settings: { LOG_LEVEL: "warn", DATABASE_POOL_MAX: "5", SPOOL_BYTES_MAX: "2147483648", MIMALLOC_PURGE_DELAY: "50" },
  secretSettings: {
    PROVIDER_API_KEY: { secret: "providers", key: "openai" },
    SMTP_URL: { secret: "mail", key: "url" },
  },
  edge: { clientIpHeader: "x-forwarded-for", addresses: ["10.0.0.0/8", "fd00::/8"] },
  persistence: { storageClass: "fast", accessMode: "ReadWriteOncePod" },
  service: { type: "LoadBalancer", annotations: { "example.org/kind": "internal" } },
  ingress: { enabled: true, className: "nginx", tlsSecret: "certificate", annotations: { "example.org/a": "b" } },
  autoscaling: { enabled: true, openStreams: { enabled: true } },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  networkPolicy: {
    from: [{ namespaceSelector: { matchLabels: { name: "ingress" } } }],
    extraEgress: [{ ports: [{ port: 6379 }] }],
  },
  serviceAccount: { annotations: { "example.org/role": "sluice" } },
  // As large as the ids that some clusters give to a namespace.
  runAsUser: 1_000_680_000,
  podAnnotations: { "example.org/a": "b" },
  podLabels: { team: "models" },
  nodeSelector: { "kubernetes.io/arch": "amd64" },
  tolerations: [{ key: "models", operator: "Exists" }],
  affinity: { nodeAffinity: {} },
  priorityClassName: "high",
  extraVolumes: [{ name: "authorities", configMap: { name: "authorities" } }],
  extraVolumeMounts: [{ name: "authorities", mountPath: "/etc/authorities", readOnly: true }],
};

export const everythingOff = {
  ...required,
  replicas: 1,
  migration: { enabled: false },
  persistence: { enabled: false },
  disruptionBudget: { enabled: false },
  networkPolicy: { enabled: false },
  serviceAccount: { create: false },
  topologySpread: { enabled: false },
  settings: {},
};

export const valueSets = [
  ["the required values alone", required],
  ["everything on", everythingOn],
  ["everything off", everythingOff],
] as const;

/** Values that are refused, and what the refusal names. */
export const refusedValues: readonly (readonly [string, object, RegExp])[] = [
  ["no address", { secrets: required.secrets }, /publicBaseUrl/],
  ["an address with a path", { ...required, publicBaseUrl: "https://sluice.example/gateway" }, /publicBaseUrl/],
  ["no Secret", { publicBaseUrl: required.publicBaseUrl }, /secrets\/name/],
  ["a value that does not exist", { ...required, replicaCount: 3 }, /replicaCount/],
  ["a variable that does not exist", { ...required, settings: { LOG_LEVELS: "warn" } }, /LOG_LEVELS/],
  ["a secret in plain text", { ...required, settings: { PROVIDER_API_KEY: "sk-1" } }, /PROVIDER_API_KEY/],
  ["a variable that the chart sets", { ...required, settings: { DRAIN_TIMEOUT_MS: "1" } }, /DRAIN_TIMEOUT_MS/],
  ["a number that YAML would change", { ...required, settings: { SPOOL_BYTES_MAX: 2_147_483_648 } }, /SPOOL_BYTES_MAX/],
  ["secrets without a Secret", { ...required, secretSettings: { SMTP_URL: "smtp://a" } }, /SMTP_URL/],
  ["root", { ...required, runAsUser: 0 }, /runAsUser/],
  ["a claim that replicas share", { ...required, persistence: { accessMode: "ReadWriteMany" } }, /accessMode/],
  ["a monitor without a token", { ...required, serviceMonitor: { enabled: true } }, /metricsToken/],
  [
    "no time for calls to end",
    { ...required, drain: { noticeSeconds: 60, timeoutSeconds: 60 } },
    /drain\.noticeSeconds must be less/,
  ],
  [
    "more replicas at least than at most",
    { ...required, autoscaling: { minReplicas: 20 } },
    /minReplicas must be at most/,
  ],
];

/**
 * The operator's configuration can't be used; the message is one sentence that names the setting and never its secret.
 */
export class ConfigError extends Error {}

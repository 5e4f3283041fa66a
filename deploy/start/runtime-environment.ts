type Environment = Readonly<Record<string, string | undefined>>;

/** Settings the runtime reads only at its start. */
const defaults = {
  // Bun queues everything above 256 calls without a word.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "8192",
  // What the collector takes for the memory of the machine, in bytes: with more of it the heap grows to more than it needs.
  // `tests/bench/README.md` has what it saves and costs.
  BUN_JSC_forceRAMSize: "4294967296",
};

type RuntimeEnvironment = Record<keyof typeof defaults, string>;

/**
 * The variables of the runtime for a process of the control plane. What the operator has set counts; 0 as
 * `BUN_JSC_forceRAMSize` stands for the real size.
 */
export function runtimeEnvironment(environment: Environment = {}): RuntimeEnvironment {
  const { BUN_CONFIG_MAX_HTTP_REQUESTS, BUN_JSC_forceRAMSize } = environment;
  return {
    BUN_CONFIG_MAX_HTTP_REQUESTS: BUN_CONFIG_MAX_HTTP_REQUESTS || defaults.BUN_CONFIG_MAX_HTTP_REQUESTS,
    BUN_JSC_forceRAMSize: BUN_JSC_forceRAMSize || defaults.BUN_JSC_forceRAMSize,
  };
}

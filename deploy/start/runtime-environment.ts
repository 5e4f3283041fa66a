type Environment = Readonly<Record<string, string | undefined>>;

/** Settings the runtime reads only at its start. */
const defaults = {
  // Bun silently queues everything above 256 calls.
  BUN_CONFIG_MAX_HTTP_REQUESTS: "8192",
  // The memory size that the garbage collector assumes, in bytes: with more of it the heap grows to more than it needs.
  // `tests/bench/cost-of-a-call.md` has what it saves and costs.
  BUN_JSC_forceRAMSize: "4294967296",
  // The whole heap is collected, and not only what is young in it, once less than this part of what it may grow to is free
  // after a collection; by default a third. What streams leave is old when they end, and stays until then.
  BUN_JSC_minEdenToOldGenerationRatio: "0.4",
  // For how many milliseconds the allocator keeps pages that are free before it returns them to the system: by default 50,
  // and most of them are needed again by the next calls.
  MIMALLOC_PURGE_DELAY: "1000",
  // How many milliseconds are at least between two searches of the allocator for free pages among used ones: by default
  // 100. Another thread searches whenever the program waits, and the program waits for it when there is work again.
  MIMALLOC_PURGE_HOLES_MIN_INTERVAL: "10000",
};

type RuntimeEnvironment = Record<keyof typeof defaults, string>;

/**
 * The runtime's variables for a control-plane process. The operator's values take precedence; 0 as
 * `BUN_JSC_forceRAMSize` means the real size.
 */
export function runtimeEnvironment(environment: Environment = {}): RuntimeEnvironment {
  const names = Object.keys(defaults) as (keyof RuntimeEnvironment)[];
  return Object.fromEntries(names.map((name) => [name, environment[name] || defaults[name]])) as RuntimeEnvironment;
}

/**
 * The processor time of this process for what runs, in milliseconds, with that of the threads that compile and collect for it. It
 * does not grow while others use the machine, so that its limit can be near.
 */
export function processorMsOf(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * The processor time of the calling thread so far, in milliseconds. It does not grow while the thread waits, for something to do
 * or for a processor.
 */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

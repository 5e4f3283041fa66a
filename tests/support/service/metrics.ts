/** The metrics of a process that have no labels, by name. */
export async function readMetrics(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const metrics = new Map<string, number>();
  for (const line of text.split("\n")) {
    const [, name, value] = /^([a-z_]+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) {
      metrics.set(name, Number(value));
    }
  }
  return metrics;
}

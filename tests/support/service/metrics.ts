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

/** What became of the requests to the front of a process, by outcome. Each question is handed over, and counts itself. */
export async function readFrontOutcomes(url: string): Promise<Readonly<Record<string, number>>> {
  // A connection of its own, so that the question counts each time.
  const text = await (await fetch(`${url}/metrics`, { headers: { connection: "close" } })).text();
  const found = [...text.matchAll(/^sluice_front_total\{outcome="(\w+)"\} (\d+)/gm)];
  return Object.fromEntries(found.map(([, name = "", count]) => [name, Number(count)]));
}

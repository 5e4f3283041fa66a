import { Counter, Gauge, type Metric, type Registry } from "prom-client";

/** A number that is read on demand. */
export function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  const instance = new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      instance.set(read());
    },
  });
}

/** One of the numbers of `Sums`. */
export type Sum = { sum: number };

/** Sums by label, kept as plain numbers on the hot path and copied to the registry only when it is read. */
export class Sums {
  readonly #values = new Map<string, Sum>();

  /** @param labels their values, one per line */
  add(labels: string, amount: number): void {
    this.of(labels).sum += amount;
  }

  /** The sum itself, for a caller that adds to it often. It counts as used from now on. */
  of(labels: string): Sum {
    let value = this.#values.get(labels);
    if (value === undefined) {
      value = { sum: 0 };
      this.#values.set(labels, value);
    }
    return value;
  }

  register(registry: Registry, name: string, help: string, labelNames: string[]): void {
    const values = this.#values;
    const instance = new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        instance.reset();
        for (const [labels, { sum }] of values) {
          const parts = labels.split("\n");
          instance.inc(Object.fromEntries(labelNames.map((label, index) => [label, parts[index] ?? ""])), sum);
        }
      },
    });
  }
}

/** A number that only increases; `label` names its one dimension, if any. */
export function counter(
  registry: Registry,
  name: string,
  help: string,
  label?: string,
): (amount: number, value?: string) => void {
  const sums = new Sums();
  sums.register(registry, name, help, label === undefined ? [] : [label]);
  return (amount, value = "") => sums.add(value, amount);
}

/**
 * How often values were up to each bound; made of plain numbers like `Sums`.
 * @param bounds rising
 */
export function histogram(
  registry: Registry,
  name: string,
  help: string,
  bounds: readonly number[],
): (value: number) => void {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  const read = () => {
    let count = 0;
    const upTo = [...bounds, "+Inf"].map((le, index) => {
      count += counts[index] ?? 0;
      return { labels: { le }, value: count, metricName: `${name}_bucket` };
    });
    const totals = [
      { labels: {}, value: sum, metricName: `${name}_sum` },
      { labels: {}, value: count, metricName: `${name}_count` },
    ];
    return { ...described, values: [...upTo, ...totals] };
  };
  const described = { name, help, type: "histogram", aggregator: "sum" };
  // The registry asks a metric for nothing but its name and its values.
  registry.registerMetric({ name, get: async () => read() } as unknown as Metric);
  return (value) => {
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) {
      index += 1;
    }
    counts[index] = (counts[index] as number) + 1;
    sum += value;
  };
}

import { Counter, Gauge, type Registry } from "prom-client";

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

/** A number that only increases; `label` names its one dimension, if any. */
export function counter(
  registry: Registry,
  name: string,
  help: string,
  label?: string,
): (amount: number, value?: string) => void {
  const instance = new Counter({ name, help, labelNames: label === undefined ? [] : [label], registers: [registry] });
  return (amount, value) => {
    instance.inc(label === undefined ? {} : { [label]: value ?? "" }, amount);
  };
}

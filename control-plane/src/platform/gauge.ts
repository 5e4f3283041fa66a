import { Gauge, type Registry } from "prom-client";

/** A number that is read when somebody asks for it. */
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

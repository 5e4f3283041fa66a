const durationBoundsSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Counters by one label, and a histogram of the time to the head of a response. */
export class Metrics {
  readonly #calls = new Map<number, number>();
  readonly #refusals = new Map<string, number>();
  readonly #failures = new Map<string, number>();
  /** Not cumulative, unlike in the Prometheus format. */
  readonly #buckets: number[] = durationBoundsSeconds.map(() => 0);
  readonly #keyUses = new Map<string, { count: number; lastMs: number }>();
  #durationCount = 0;
  #durationSum = 0;
  inFlight = 0;
  sentBytes = 0;

  /** An admitted call ended, with the status that the caller saw. */
  countCall(status: number): void {
    add(this.#calls, status);
  }

  /** A request that was not admitted. */
  countRefusal(code: string): void {
    add(this.#refusals, code);
  }

  /** A provider failed, or broke off in the middle. */
  countFailure(kind: string): void {
    add(this.#failures, kind);
  }

  /** The control plane used this relay key, for a call or a challenge. @param nowMs on a monotonic clock */
  countKeyUse(fingerprint: string, nowMs: number): void {
    const use = this.#keyUses.get(fingerprint);
    if (use === undefined) {
      this.#keyUses.set(fingerprint, { count: 1, lastMs: nowMs });
    } else {
      use.count += 1;
      use.lastMs = nowMs;
    }
  }

  /** How often each of these keys was used, and how long ago, so that a rotation knows when it is complete. */
  renderKeyUses(fingerprints: readonly string[], nowMs: number): string {
    const lines = fingerprints.flatMap((fingerprint) => {
      const use = this.#keyUses.get(fingerprint);
      const idle = use === undefined ? "+Inf" : String((nowMs - use.lastMs) / 1000);
      return [
        `sluice_node_relay_key_uses_total{key="${fingerprint}"} ${use?.count ?? 0}`,
        `sluice_node_relay_key_idle_seconds{key="${fingerprint}"} ${idle}`,
      ];
    });
    return `${lines.join("\n")}\n`;
  }

  observeFirstByte(seconds: number): void {
    this.#durationCount += 1;
    this.#durationSum += seconds;
    const place = durationBoundsSeconds.findIndex((bound) => seconds <= bound);
    if (place !== -1) {
      this.#buckets[place] = (this.#buckets[place] ?? 0) + 1;
    }
  }

  /** The Prometheus text format; `gauges` are values from elsewhere. */
  render(gauges: Readonly<Record<string, number>>): string {
    const lines = [
      ...family("calls_total", "Admitted calls, by status.", "status", this.#calls),
      ...family("refusals_total", "Refused requests, by reason.", "code", this.#refusals),
      ...family("upstream_failures_total", "Calls that failed at a provider, by kind.", "kind", this.#failures),
      ...this.#renderFirstByte(),
    ];
    const all = { ...gauges, in_flight_calls: this.inFlight, answer_bytes: this.sentBytes };
    for (const [name, value] of Object.entries(all)) {
      lines.push(`# TYPE sluice_node_${name} gauge`, `sluice_node_${name} ${value}`);
    }
    return `${lines.join("\n")}\n`;
  }

  #renderFirstByte(): string[] {
    const name = "sluice_node_first_byte_seconds";
    let count = 0;
    const rows = durationBoundsSeconds.map((bound, index) => {
      count += this.#buckets[index] ?? 0;
      return `${name}_bucket{le="${bound}"} ${count}`;
    });
    return [
      `# HELP ${name} Time until the head of a provider's answer.`,
      `# TYPE ${name} histogram`,
      ...rows,
      `${name}_bucket{le="+Inf"} ${this.#durationCount}`,
      `${name}_sum ${this.#durationSum}`,
      `${name}_count ${this.#durationCount}`,
    ];
  }
}

function add<Label>(counts: Map<Label, number>, label: Label): void {
  counts.set(label, (counts.get(label) ?? 0) + 1);
}

function family(name: string, help: string, label: string, counts: ReadonlyMap<string | number, number>): string[] {
  const full = `sluice_node_${name}`;
  const rows = [...counts].map(([value, count]) => `${full}{${label}="${value}"} ${count}`);
  return [`# HELP ${full} ${help}`, `# TYPE ${full} counter`, ...rows];
}

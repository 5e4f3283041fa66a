const cleanName = /^[\w.-]{1,64}$/;
/** As many as a body may have fields at its top; a header names fewer and counts the rest. */
const countMax = 1_000;

/** The names of what a request asked for and the upstream does not get. They go into a header, so only clean ones count. */
export class DroppedNames {
  readonly #names = new Set<string>();

  add(name: string): void {
    if (this.#names.size < countMax) {
      this.#names.add(cleanName.test(name) ? name : "unknown");
    }
  }

  get names(): readonly string[] {
    return [...this.#names];
  }
}

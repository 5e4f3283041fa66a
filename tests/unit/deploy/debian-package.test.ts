import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageUnit } from "@sluice/binary/debian-package.ts";

const unit = readFileSync(join(import.meta.dir, "../../../deploy/control-plane/sluice@.service"), "utf8");

describe("the unit of the package", () => {
  test("is that of two instances with other places, and no line about an instance", () => {
    const made = packageUnit(unit);
    expect(made).not.toContain("%i");
    expect(made).toContain("ExecStart=/usr/bin/sluice start\n");
    const isPlace = (line: string): boolean =>
      /^(#|ExecStart|WorkingDirectory|Description|Documentation|EnvironmentFile)/.test(line);
    const rest = (text: string): string[] => text.split("\n").filter((line) => !isPlace(line));
    expect(rest(made)).toEqual(rest(unit));
  });

  test("is refused when a line that it replaces is gone", () => {
    expect(() => packageUnit(unit.replace("ExecStart=", "ExecStop="))).toThrow("the unit has no line");
  });
});

import type { Finding } from "./model.ts";

const marks: Readonly<Record<Finding["level"], string>> = { ok: "ok", warning: "WARNING", problem: "PROBLEM" };

/** The findings for people: each with what solves it. */
export function writeFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ level, area, text, cure }) => [
    `${marks[level].padEnd(8)} ${area.padEnd(9)} ${text}`,
    ...(cure === "" ? [] : [`${" ".repeat(19)}${cure}`]),
  ]);
  const count = (level: Finding["level"]): string => {
    const { length } = findings.filter((finding) => finding.level === level);
    return `${length} ${level}${length === 1 ? "" : "s"}`;
  };
  return [...lines, `${count("problem")}, ${count("warning")}`, ""].join("\n");
}

/** Takes a progress line. */
export type Report = (line: string) => void;

const titleWidth = 12;
const slowStepMs = 1_000;

/** Writes a progress line. It goes to stderr, so that stdout contains only output for scripts. */
export function say(title: string, text: string): void {
  process.stderr.write(`  ${title.padEnd(titleWidth)} ${text}\n`);
}

/**
 * Does one step of the start and reports the outcome and how long it took. A step that takes noticeably long is
 * announced first.
 * @param work gets a function for remarks on the way and returns the text of the closing line
 */
export async function runStep<T extends { readonly summary: string }>(
  title: string,
  announcement: string,
  work: (remark: Report) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  const timer = setTimeout(() => say(title, `${announcement} ...`), slowStepMs);
  try {
    const result = await work((line) => say(title, line));
    say(title, `${result.summary} (${formatDuration(performance.now() - startedAt)})`);
    return result;
  } finally {
    clearTimeout(timer);
  }
}

export function formatDuration(durationMs: number): string {
  return durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}

/** The spans over which the performance of models is shown: the last hours, or UTC days with today. */
export const performanceSpans = ["24h", "7d", "30d", "90d"] as const;
export type PerformanceSpan = (typeof performanceSpans)[number];

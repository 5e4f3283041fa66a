/** The most end users, and the most tags, whose sums a response has. */
export const usageLabelsMax = 100;
/** How many days a report of admins by tag may cover: it reads the log, as no sums are kept by tag. */
export const tagDaysMax = 31;

/** The most end users, and the most tags, whose sums a response has. */
export const usageLabelsMax = 100;
/** The most end users, and the most tags, of a UTC day that have sums of their own; the others are summed as one. */
export const labelsOfDayMax = 10_000;
/** How many days a report of admins by tag may cover: after an upgrade it reads the log until the sums by tag have caught up. */
export const tagDaysMax = 31;

/** The most end users, and the most tags, of which a response has the sums. */
export const usageLabelsMax = 100;

/** The most rows of a list that a request can name. */
export const namedRowsMax = 100;

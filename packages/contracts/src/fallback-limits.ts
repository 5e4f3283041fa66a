/** A longer list would keep a client waiting for what will not come. */
export const fallbacksMax = 3;

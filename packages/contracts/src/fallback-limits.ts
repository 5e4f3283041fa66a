/** A longer list would keep a client waiting in vain. */
export const fallbacksMax = 3;

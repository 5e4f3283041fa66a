/** In pixels: as large as those who show links as cards ask for. */
export const socialImageSize = { width: 1200, height: 630 } as const;

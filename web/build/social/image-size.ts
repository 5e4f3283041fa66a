/** The size in pixels that link previews ask for. */
export const socialImageSize = { width: 1200, height: 630 } as const;

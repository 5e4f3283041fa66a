/** The head of a page: the build writes the same texts into its document, where they can be read before the page runs. */
export type HeadTexts = { readonly title: string; readonly text?: string };

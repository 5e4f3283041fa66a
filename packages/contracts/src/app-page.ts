/** A page of the console or the admin area, as the build of the web describes it to the service that writes its document. */
export type AppPage = {
  /** Its address; `:name` is a part of any value. */
  readonly path: string;
  /** The addresses of the modules and stylesheets that it loads besides those of every page of its area. */
  readonly modules: readonly string[];
  readonly styles: readonly string[];
  /** The addresses of its texts, by language. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  /** Its title and its lead as markup, by language; empty if only the running page knows them. */
  readonly heads: Readonly<Record<string, string>>;
  /** What it asks the backend first, and what the frame around it does. `{zone}` is the time zone of the browser. */
  readonly requests: readonly string[];
  readonly frameRequests: readonly string[];
};

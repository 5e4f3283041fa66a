/** What a browser needs to try an operation on the page of the API. */
export type ApiTrial = {
  readonly method: string;
  /** With the names of its parameters in braces. */
  readonly path: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: "path" | "query";
    readonly isRequired: boolean;
  }[];
  /** The least that it has to be sent, as JSON; null for an operation without a body. */
  readonly body: string | null;
  /** What it is called with. */
  readonly credential: "api_key" | "login" | "none";
  /** Whether an access token may take the place of the login. */
  readonly takesToken: boolean;
  readonly needsRecentLogin: boolean;
  /** Whether its effect can be known before it is carried out. */
  readonly isPreviewed: boolean;
};

/** A problem that the person who started the program can fix: its message is shown alone, without a stack trace. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StartError";
  }
}

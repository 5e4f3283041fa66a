/** Something the person who started the program can put right: its message is shown alone, without a stack trace. */
export class StartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "StartError";
  }
}

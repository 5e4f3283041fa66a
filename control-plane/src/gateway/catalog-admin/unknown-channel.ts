import { AppError } from "../../platform/errors.ts";

/** The id of a channel that does not exist. */
export function unknownChannel(): AppError {
  return new AppError("not_found", { message: "This channel does not exist." });
}

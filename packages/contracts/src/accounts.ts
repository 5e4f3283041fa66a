import { z } from "zod";

/** A password as it is typed at a login: only its length is looked at. */
const typedPassword = z.string().min(1).max(256);

export const adminLoginInput = z.strictObject({
  /** Username, e-mail or mobile number. */
  login: z.string().trim().min(1).max(254),
  password: typedPassword,
  /** Of the authenticator, where one is set up. */
  code: z.string().trim().max(16).optional(),
});

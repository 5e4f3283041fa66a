import { adminLoginInput } from "@sluice/contracts/accounts";
import { z } from "zod";
import { successAnswer } from "../platform/endpoint/answer.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import type { AdminLogin } from "./admins/admin-login.ts";
import { endedSessionCookie } from "./sessions/cookie.ts";
import type { Sessions } from "./sessions/sessions.ts";

export type AdminAuthParts = {
  readonly login: AdminLogin;
  readonly sessions: Sessions;
  readonly endSession: (request: Request) => Promise<void>;
};

/** How admins come in and go out. */
export function adminAuthEndpoints({ login, sessions, endSession }: AdminAuthParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      path: "/backend/auth/admin/login/",
      access: "public",
      input: adminLoginInput,
      summary: "Logs an admin in by username, e-mail or mobile number.",
      handle: async ({ input, request, requestId, clientIp: ip, userAgent }) => {
        const { admin, cookie } = await login.logIn(input, request, { ip, userAgent });
        return withCookie(
          successAnswer({ admin: { username: admin.username, is_super: admin.agent >= 2 } }, requestId),
          cookie,
        );
      },
    }),
    endpoint({
      method: "POST",
      path: "/backend/auth/admin/logout/",
      access: "public",
      input: z.strictObject({}),
      summary: "Ends the session of an admin.",
      handle: async ({ request, requestId }) => {
        await endSession(request);
        return withCookie(successAnswer({}, requestId), endedSessionCookie("admin", sessions.isSecure));
      },
    }),
    endpoint({
      method: "GET",
      path: "/backend/auth/admin/me/",
      access: "admin",
      input: z.strictObject({}),
      summary: "Who is logged in.",
      handle: async ({ admin }) => ({ admin: { username: admin.username, is_super: admin.isSuper } }),
    }),
  ];
}

function withCookie(answer: Response, cookie: string): Response {
  answer.headers.append("set-cookie", cookie);
  return answer;
}

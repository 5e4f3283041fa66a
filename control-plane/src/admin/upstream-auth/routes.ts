import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  profileListResponse,
  profileResponse,
  profilesMax,
  refreshProfileInput,
  saveProfileInput,
} from "@sluice/contracts/upstream-auth";
import { z } from "zod";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { audit, byCaller } from "../audit/service.ts";
import { requestRefresh, saveProfile } from "./service.ts";
import { listProfiles } from "./store.ts";

/** The paths for saving a profile; both follow one rule. */
type ProfilePath = "/backend/upstream/auth-profiles/save/" | "/backend/admin/upstream/save/";

export type UpstreamAuthDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  /** Called after the commit of a credential. */
  readonly onSecretChange: () => void;
};

/** Profiles for logging in to providers. They are stored for later: no client call is routed by them. */
export function upstreamAuthEndpoints(deps: UpstreamAuthDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/upstream/auth-profiles/list/",
      access: "admin",
      input: z.strictObject({}),
      output: profileListResponse,
      errors: [],
      summary: "List all upstream auth profiles, without credentials",
      handle: async () => ({ profiles: await listProfiles(deps.db) }),
    }),
    saveEndpoint(deps, "/backend/upstream/auth-profiles/save/"),
    saveEndpoint(deps, "/backend/admin/upstream/save/"),
    refreshEndpoint(deps),
  ];
}

function saveEndpoint({ db, masterKey, onSecretChange }: UpstreamAuthDeps, path: ProfilePath): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation(path),
    input: saveProfileInput,
    output: profileResponse,
    errors: ["not_found", "conflict", "secret_required"],
    limits: [`At most ${profilesMax} profiles.`],
    summary: "Create an upstream auth profile, or change the loaded version; its credential is never shown again",
    handle: async ({ input, ...call }) => {
      const { after, isCredentialNew } = await db.withTransaction(async (tx) => {
        const saved = await saveProfile(tx, masterKey, input);
        await audit(tx, byCaller(call), "upstream_auth.save", {
          subjectKind,
          subjectId: saved.after.id,
          before: saved.before,
          after: { ...saved.after, is_credential_new: saved.isCredentialNew },
        });
        return saved;
      });
      if (isCredentialNew) {
        onSecretChange();
      }
      return { profile: after };
    },
  });
}

const subjectKind = "upstream_auth_profile";

function refreshEndpoint({ db }: UpstreamAuthDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/upstream/auth-profiles/refresh/"),
    input: refreshProfileInput,
    output: profileResponse,
    errors: ["not_found"],
    summary: "Mark a profile as needing a manual reconnect; no provider is called",
    handle: async ({ input, ...call }) => {
      const profile = await db.withTransaction(async (tx) => {
        const { before, after } = await requestRefresh(tx, input.id);
        await audit(tx, byCaller(call), "upstream_auth.refresh", {
          subjectKind,
          subjectId: input.id,
          before: { refresh_check: before.refresh_check },
          after: { refresh_check: after.refresh_check },
        });
        return after;
      });
      return { profile };
    },
  });
}

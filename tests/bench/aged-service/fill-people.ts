import { sealInvitation } from "@sluice/control-plane/accounts/registration/invitation-codes.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import { masterKeyBytes } from "../../support/service/sluice.ts";
import type { AgedSizes } from "./sizes.ts";
import { spread, upTo } from "./spread.ts";

/** A tenth of the rows are of the first user, as a tenth of the calls are. */
const userOf = (users: number): string => `case when i % 10 = 0 then 1 else i % ${users} + 1 end`;

/** The codes of the invitations with the ids from 1, which their list decrypts. */
const sealedCodes = Array.from({ length: 200 }, (_, index) => {
  const sealed = sealInvitation(new MasterKey(masterKeyBytes), BigInt(index + 1), "AAAA-BBBB-CCCC-DDDD");
  return `\\x${Buffer.from(sealed).toString("hex")}`;
});

/** What people and organisations have beside keys and orders, each as a named statement. */
export function peopleSteps({ users, orders }: AgedSizes): readonly (readonly [string, string])[] {
  const organisations = Math.ceil(users / 10);
  const admins = 20;
  return [
    [
      "admins",
      `insert into shared_admin_credentials (username, email, password_hash, role)
        select 'admin-' || i, 'admin' || i || '@example.org', 'none', (array['admin', 'read_only', 'support', 'billing'])[1 + i % 4]
        from ${upTo(admins)}`,
    ],
    [
      "profiles of admins",
      "insert into support_profile (admin_id, display_name) select id, username from shared_admin_credentials",
    ],
    [
      "sessions",
      `insert into session (token_hash, user_id, admin_id, ip, user_agent, created_at, expires_at)
        select sha256(i::text::bytea), case when i > ${admins} then i % ${users} + 1 end, case when i <= ${admins} then i end, '192.0.2.1', 'Browser',
          ${spread("i", users * 3)}, case when i <= ${admins} or i % 3 = 0 then now() + interval '1 day' else now() - interval '1 day' end
        from ${upTo(users * 3)}`,
    ],
    [
      "access tokens",
      `insert into management_token (user_id, admin_id, organisation_id, name, token_hash, hint, scopes, expires_at)
        select case when i > ${admins} then i % ${users} + 1 end, case when i <= ${admins} then i end,
          case when i > ${admins} and i % 3 = 0 then i % ${organisations} + 1 end, 'token', sha256(i::text::bytea), 'abcd', '{usage:read}',
          now() + interval '90 days'
        from ${upTo(users + admins)}`,
    ],
    [
      "passkeys",
      `insert into passkey (user_id, name, credential_id, public_key, counter, transports, is_synced, is_backed_up, aaguid, created_at)
        select i % ${users} + 1, 'Passkey', 'credential-' || i, '\\x00', 0, '{internal}', true, true, 'none', ${spread("i", users)}
        from ${upTo(users)}`,
    ],
    [
      "services to sign in with",
      `insert into sign_in_provider (slug, kind, label, issuer, client_id, secret_sealed, is_enabled, may_register)
        select 'issuer-' || i, 'oidc', 'Issuer', 'https://issuer' || i || '.example.org', 'client', '\\x00', true, true from ${upTo(5)}`,
    ],
    [
      "sign-ins",
      `insert into user_identity (user_id, issuer, subject, email, created_at)
        select i % ${users} + 1, 'https://issuer' || i % 5 + 1 || '.example.org', 'subject-' || i, 'person@example.org', ${spread("i", users)}
        from ${upTo(users)}`,
    ],
    [
      "messages of the inbox",
      `insert into mail_inbox (user_id, mail_id, template, subject, created_at)
        select case when id % 10 = 0 then 1 else user_id end, id, template, 'Subject', created_at from mail_log`,
    ],
    [
      "invitations of the operator",
      `insert into registration_invitation (name, digest, sealed_code, uses, uses_max, created_by, created_at)
        select 'Invitation ' || i, sha256(i::text::bytea), sealed::bytea, 1, 10, 'bench', ${spread("i", sealedCodes.length)}
        from unnest(array['${sealedCodes.join("', '")}']) with ordinality s (sealed, i)`,
    ],
    ["links of users", "insert into referral_code (user_id, code) select id, 'code' || id from user_profile"],
    [
      "accounts that close",
      `insert into account_closing (user_id, requested_by, agreed_quota, closes_at, tried_at)
        select id, 'owner', 0, now() + interval '7 days', now() from user_profile where id % 100 = 2`,
    ],
    [
      "members of groups",
      `insert into user_group_member (gateway_user_id, group_name)
        select gateway_user_id, 'node-test' from account_owner where gateway_user_id % 10 = 1`,
    ],
    [
      "limits of accounts",
      `insert into account_limit (scope, gateway_user_id, requests_per_minute, spend_per_month)
        select 'user', id, 60, 1000000 from gateway_user where id % 20 = 1`,
    ],
    [
      "spending by day",
      `insert into account_spend (gateway_user_id, day, spent)
        select id, current_date - n, 1000 from gateway_user, generate_series(0, 29) n where id % 20 = 1`,
    ],
    ["last uses of keys", "insert into api_key_use (api_key_id, last_used_at) select id, now() from api_key"],
    [
      "keys of organisations",
      `insert into api_key (gateway_user_id, key_hash, key_prefix, key_last_four, name, created_at)
        select gateway_user_id, sha256((id || ' ' || n)::bytea), 'sk-team', 'abcd', 'key', created_at from organisation, generate_series(1, 5) n`,
    ],
    [
      "invitations to organisations",
      `insert into organisation_invitation (organisation_id, email, role, token_hash, invited_by_id, expires_at)
        select id, 'guest' || n || '@example.org', 'member', sha256((id || ' ' || n)::bytea), id, now() + interval '7 days'
        from organisation, generate_series(1, 3) n`,
    ],
    [
      "buyers",
      `insert into buyer_data (user_id, name, address, country)
        select id, 'Buyer', '1 Street', 'DE' from user_profile where id % 5 = 1`,
    ],
    [
      "grants",
      `insert into quota_grant (budget_id, amount, change_type, reference, created_at)
        select b.id, 10, 'wallet_recharge', 'bench:' || o.id, o.created_at
        from sales_order o join user_profile u on u.id = o.user_id join budget b on b.gateway_user_id = u.gateway_user_id`,
    ],
    [
      "readings of own calls",
      `insert into own_payload_access (at, user_id, gateway_user_id, day, request_id, ip, asked_by)
        select ${spread("i", orders)}, ${userOf(users)}, ${userOf(users)}, current_date, md5(i::text)::uuid, '192.0.2.1', 'bench'
        from ${upTo(orders)}`,
    ],
    [
      "accounts that are read by their owners",
      "insert into own_payload_reading (gateway_user_id, since, by_members) select id, now(), true from gateway_user where id % 5 = 1",
    ],
    ...movedSteps(users),
  ];
}

/** What accounts had used in a gateway that they came from: one in five, among them the first user. */
function movedSteps(users: number): readonly (readonly [string, string])[] {
  return [
    ["a gateway that was left", "insert into import_source (instance, program) values ('old', 'new-api')"],
    [
      "usage from before the move",
      `insert into imported_usage (gateway_user_id, instance, day, model, calls, input_tokens, output_tokens, quota)
        select u.id, 'old', current_date - 100 - day, 'model-' || m, 10, 1000, 1000, 1000
        from generate_series(1, ${users}, 5) u (id), generate_series(1, 90) day, generate_series(1, 3) m`,
    ],
    [
      "calls from before the move",
      `insert into imported_call (gateway_user_id, instance, source_id, made_at, model, key_name, input_tokens, output_tokens, quota)
        select u.id, 'old', u.id || '-' || n, now() - interval '100 days' - interval '1 hour' * n, 'model-3', 'key', 100, 100, 100
        from generate_series(1, ${users}, 5) u (id), generate_series(1, 100) n`,
    ],
  ];
}

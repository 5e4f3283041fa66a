import { fieldsOfRole, roleAllows } from "@sluice/contracts/admin-role-rights";
import { type AdminRole, roleNames } from "@sluice/contracts/admin-roles";
import { AppError } from "../errors.ts";
import type { AdminCaller, AnyEndpoint } from "./model.ts";

/**
 * Refuses an admin unless this is a super-admin with a recent login.
 * @throws AppError `super_admin_required`, `step_up_required`
 */
export function requireFreshSuper(admin: AdminCaller): void {
  requireSuper(admin);
  if (!admin.isFresh) {
    throw new AppError("step_up_required");
  }
}

function requireSuper(admin: AdminCaller): void {
  if (!admin.isSuper) {
    throw new AppError("super_admin_required");
  }
}

/**
 * Checks what an admin endpoint requires of the login.
 * @throws AppError `second_factor_required`, `super_admin_required`, `role_refused`, `step_up_required`
 */
export function refuseWithoutRight(endpoint: AnyEndpoint, admin: AdminCaller): void {
  if (admin.lacksSecondFactor && endpoint.withoutSecondFactor !== true) {
    throw new AppError("second_factor_required");
  }
  if (endpoint.access === "super_admin") {
    requireSuper(admin);
  }
  if (!roleAllows(admin.role, endpoint.path)) {
    throw roleRefused(admin.role, "this");
  }
  if (endpoint.freshLogin === true && !admin.isFresh) {
    throw new AppError("step_up_required");
  }
}

const roleRefused = (role: AdminRole, what: string) =>
  new AppError("role_refused", { message: `Your role, ${roleNames[role]}, does not allow ${what}.` });

/**
 * @throws AppError `super_admin_required`, `step_up_required`, `role_refused` when a field of the input needs more rights
 */
export function refuseGuardedFields(
  { path, guardedFields = [] }: AnyEndpoint,
  input: unknown,
  admin: AdminCaller | undefined,
): void {
  const fields = input as Readonly<Record<string, unknown>>;
  if (admin === undefined) {
    return;
  }
  if (guardedFields.some((name) => fields[name] !== undefined)) {
    requireFreshSuper(admin);
  }
  const allowed = fieldsOfRole(admin.role, path);
  const refused = Object.keys(fields).find((name) => fields[name] !== undefined && allowed?.includes(name) === false);
  if (refused !== undefined) {
    throw roleRefused(admin.role, `the field '${refused}'`);
  }
}

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
 * @throws AppError `second_factor_required`, `super_admin_required`, `step_up_required`
 */
export function refuseWithoutRight(endpoint: AnyEndpoint, admin: AdminCaller): void {
  if (admin.lacksSecondFactor && endpoint.withoutSecondFactor !== true) {
    throw new AppError("second_factor_required");
  }
  if (endpoint.access === "super_admin") {
    requireSuper(admin);
  }
  if (endpoint.freshLogin === true && !admin.isFresh) {
    throw new AppError("step_up_required");
  }
}

/** @throws AppError `super_admin_required`, `step_up_required` when a field of the input needs more rights */
export function refuseGuardedFields(
  { guardedFields = [] }: AnyEndpoint,
  input: unknown,
  admin: AdminCaller | undefined,
): void {
  const fields = input as Readonly<Record<string, unknown>>;
  if (admin !== undefined && guardedFields.some((name) => fields[name] !== undefined)) {
    requireFreshSuper(admin);
  }
}

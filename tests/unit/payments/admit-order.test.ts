import { expect, test } from "bun:test";
import { admitOrder } from "@sluice/control-plane/payments/orders/place-order.ts";
import type { GuestOrders } from "@sluice/control-plane/payments/port.ts";
import { addressGroup } from "@sluice/control-plane/platform/client-address.ts";
import type { UserCaller } from "@sluice/control-plane/platform/endpoint/model.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";

const counted: string[] = [];
const guests: GuestOrders = {
  count: (ip) => {
    counted.push(ip);
    return counted.length > 20 ? Promise.reject(new AppError("too_many_attempts")) : Promise.resolve();
  },
  networkOf: addressGroup,
};
const keyOf = (clientIp: string, key: string | null, user: UserCaller | null = null) =>
  admitOrder(guests, { user, clientIp }, key);

test("strangers of two networks with the same key have two orders, and one who repeats it has one", async () => {
  const own = await keyOf("192.0.2.1", "order-1");
  expect(own).not.toBe("order-1");
  expect(await keyOf("192.0.2.1", "order-1")).toBe(own);
  expect(await keyOf("192.0.2.1", "order-2")).not.toBe(own);
  expect(await keyOf("192.0.2.2", "order-1")).not.toBe(own);
  expect(await keyOf("2001:db8::1", "order-1")).toBe(await keyOf("2001:db8::2", "order-1"));
});

test("a stranger's order is counted, with a key or without, and a user's is not", async () => {
  counted.length = 0;
  expect(await keyOf("192.0.2.1", null)).toBeNull();
  await keyOf("192.0.2.1", "order-1");
  expect(await keyOf("192.0.2.1", "order-1", {} as UserCaller)).toBe("order-1");
  expect(counted).toEqual(["192.0.2.1", "192.0.2.1"]);
  counted.push(...Array.from({ length: 20 }, () => "192.0.2.9"));
  await expect(keyOf("192.0.2.1", "order-1")).rejects.toThrow(AppError);
});

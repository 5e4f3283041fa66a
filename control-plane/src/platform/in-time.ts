/** What a promise comes to if that is within this time; the promise may continue afterwards. @throws what `late` makes */
export async function inTime<Value>(promise: Promise<Value>, ms: number, late: () => Error): Promise<Value> {
  const overdue = Promise.withResolvers<never>();
  const timer = setTimeout(() => overdue.reject(late()), ms);
  try {
    return await Promise.race([promise, overdue.promise]);
  } finally {
    clearTimeout(timer);
  }
}

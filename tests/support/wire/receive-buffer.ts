import { dlopen, ptr } from "bun:ffi";

const solSocket = 1;
const soReceiveBuffer = 8;

/**
 * Fixes what the kernel keeps for a connection that is not read, on Linux. Left alone it grows to many megabytes each,
 * and some hundred connections that stand still take all memory that the kernel has for TCP: it then resets connections
 * of others.
 * @throws Error when the system refuses
 */
export function setReceiveBuffer(file: number, bytes: number): void {
  const { symbols, close } = dlopen("libc.so.6", {
    setsockopt: { args: ["int", "int", "int", "ptr", "int"], returns: "int" },
  });
  try {
    const value = new Int32Array([bytes]);
    if (symbols.setsockopt(file, solSocket, soReceiveBuffer, ptr(value), value.byteLength) !== 0) {
      throw new Error("the receive buffer of a connection could not be set");
    }
  } finally {
    close();
  }
}

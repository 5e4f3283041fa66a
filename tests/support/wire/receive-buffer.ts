import { dlopen, ptr } from "bun:ffi";

const solSocket = 1;
const soReceiveBuffer = 8;

/**
 * Fixes the kernel's buffer for a connection that is not read, on Linux. Otherwise it grows to many megabytes each, and
 * some hundred stalled connections take all the kernel's memory for TCP: it then resets other connections.
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
